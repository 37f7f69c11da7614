// SPDX-License-Identifier: Apache-2.0
// Speed-up against area, and the list of all that is drawn without a browser.
(() => {
  const {report} = globalThis;
  const parts = report.chartParts;
  const {nameOf, unique} = report;

  // Points that no other beats in both: less area and a higher speed-up.
  report.paretoFront = (points) => {
    const sorted = [...points].sort((a, b) => a.area - b.area || b.speedup - a.speedup);
    let best = -Infinity;
    return sorted.filter((point) => point.speedup > best && (best = point.speedup));
  };

  report.pareto = (data, choice, look) => {
    const areas = report.objects(data.area);
    const known = choice.rows
      .map((row) => ({...row, ...areas.find((area) => area.machine === row.machine && area.variant === row.variant)}))
      .filter((row) => typeof row.added_mm2 === 'number')
      .map((row) => ({...row, area: row.added_mm2}));
    if (known.length === 0) return null;
    const machines = look.styles.ordered(unique(known.map((row) => row.machine)));
    const frame = parts.frameOf({facets: machines, chart: {y_title: `speed-up over ${data.baseline}`}}, look, {
      least: 300,
      plot: 300,
      legend: ['Pareto front', 'area is a lower bound'],
      bottom: 52,
    });
    const xExtent = report.extent([0, ...known.map((row) => row.area)], {zero: true});
    const yExtent = report.extent([1, ...known.flatMap((row) => [row.speedup, row.low, row.high])]);
    const series = [],
      format = report.format('.3f');
    machines.forEach((machine, f) => {
      const mine = known.filter((row) => row.machine === machine),
        front = report.paretoFront(mine);
      const axes = {xAxisIndex: f, yAxisIndex: f};
      series.push({
        type: 'line',
        name: 'Pareto front',
        ...axes,
        step: 'end',
        symbol: 'none',
        silent: true,
        data: [...front.map((row) => [row.area, row.speedup]), [xExtent[1], front.at(-1).speedup]],
        lineStyle: {color: look.theme.muted, width: 1.6, type: [6, 4]},
        itemStyle: {color: look.theme.muted},
        z: 1,
        ...parts.referenceLine({reference: 1}, look.theme),
      });
      series.push({
        type: 'custom',
        name: 'interval',
        silent: true,
        z: 1,
        ...axes,
        encode: {x: 0, y: [1, 2]},
        data: mine
          .filter((row) => typeof row.low === 'number' && row.low !== row.high)
          .map((row) => [row.area, row.low, row.high]),
        renderItem: (params, api) => {
          const [x, low] = api.coord([api.value(0), api.value(1)]);
          return parts.whisker(x, low, api.coord([api.value(0), api.value(2)])[1], 4, {text: look.theme.muted}, 1.2);
        },
      });
      series.push({
        type: 'scatter',
        name: 'variants',
        ...axes,
        symbolSize: 13,
        z: 3,
        labelLayout: {hideOverlap: true, moveOverlap: 'shiftY'},
        label: {
          show: true,
          formatter: ({data: {row}}) => `${row.note ? '≥ ' : ''}${row.variant}`,
          position: 'right',
          color: look.theme.text,
          fontFamily: look.theme.font,
          fontSize: 12,
        },
        data: mine.map((row) => {
          const style = look.styles.of(row.variant, data.variants, look.theme);
          return {
            value: [row.area, row.speedup],
            row,
            symbol: style.symbol,
            label: front.includes(row)
              ? {position: 'top', align: row.area < 0.1 * xExtent[1] ? 'left' : 'center'}
              : {position: row.area > 0.7 * xExtent[1] ? 'left' : 'right'},
            itemStyle: {
              opacity: 1,
              color: row.note ? look.theme.card : style.colour,
              borderColor: row.note ? style.colour : look.theme.card,
              borderWidth: row.note ? 2.5 : 1.5,
            },
          };
        }),
      });
      series.push({
        type: 'scatter',
        name: 'area is a lower bound',
        ...axes,
        data: [],
        silent: true,
        symbol: 'circle',
        itemStyle: {color: look.theme.card, borderColor: look.theme.muted, borderWidth: 2},
      });
    });
    const legend = [
      {name: 'Pareto front'},
      ...(known.some((row) => row.note) ? [{name: 'area is a lower bound'}] : []),
    ];
    return {
      ...frame,
      points: known,
      summary: `Speed-up against added area: ${known.map((row) => `${row.variant} on ${row.machine} ${format(row.speedup)} for ${row.note ? 'at least ' : ''}${format(row.area)} mm²`).join('; ')}.`,
      option: {
        ...report.baseOption(look, frame, legend),
        series,
        tooltip: parts.tooltip(look, {
          trigger: 'item',
          formatter: ({data: {row}}) =>
            report.tip(`${nameOf(row)} · ${row.machine}`, [
              [
                null,
                'speed-up',
                format(row.speedup),
                typeof row.low === 'number' ? `95 %: ${format(row.low)} to ${format(row.high)}` : '',
              ],
              [null, 'added area', `${row.note ? '≥ ' : ''}${format(row.area)} mm²`, row.note],
            ]),
        }),
        xAxis: machines.map((_, i) => ({
          gridIndex: i,
          ...parts.valueAxis(look, report.format('.2~f'), xExtent, false, 'added area per core, mm²'),
          nameGap: 30,
        })),
        yAxis: machines.map((_, i) => ({gridIndex: i, ...parts.valueAxis(look, report.format('.2~f'), yExtent)})),
      },
    };
  };

  // All that is drawn without a browser, by name.
  report.drawings = (data, look) => {
    const drawn = data.figures.map((figure) => ({name: figure.name, drawn: report.chart(figure, look)}));
    const one = (name, choices, build) => {
      if (choices.length > 0) drawn.push({name, drawn: build(data, choices[0], look)});
    };
    if (data.points.rows.length > 0) {
      one('means', report.meanChoices(data), report.means);
      one('issue_slots', report.slotChoices(data), report.issueSlots);
      if (data.area.rows.length > 0) one('area', report.areaChoices(data), report.pareto);
    }
    for (const timeline of data.timelines?.slice(0, 1) || []) {
      drawn.push({name: 'blocks_over_time', drawn: report.blocksOverTime(timeline, look)});
      drawn.push({name: 'slots_over_time', drawn: report.slotsOverTime(timeline, null, look)});
      for (const core of report.coresWithWarps(timeline).slice(0, 1)) {
        const drawnWarps = report.warpsOverTime(timeline, core, report.wholeTime(timeline), look);
        drawn.push({name: 'warps_over_time', drawn: drawnWarps});
      }
    }
    return drawn.filter((one) => one.drawn !== null);
  };
})();
