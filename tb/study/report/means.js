// SPDX-License-Identifier: Apache-2.0
// Mean speed-ups with their verdicts, and what a chart of a report's own can be drawn for.
(() => {
  const {report} = globalThis;
  const parts = report.chartParts;
  const {unique} = report;

  report.verdictMarks = {faster: '▲', slower: '▼', undecided: '◆', 'one input': '○', baseline: '–'};

  const parsed = (text) => {
    try {
      return JSON.parse(text || '{}');
    } catch {
      return {};
    }
  };
  // Settings that all points of the study have in common: said once, not in every label.
  let common = {};
  report.settingsInCommon = (data) => {
    const [first = {}, ...others] = report.objects(data.points).map((row) => parsed(row.settings));
    common = Object.fromEntries(Object.entries(first).filter(([key, value]) => others.every((one) => one[key] === value)));
    return Object.entries(common)
      .map(([key, value]) => `${key}=${value}`)
      .join(', ');
  };
  // Settings in few words: core.warp_size=16.
  report.settingsText = (text, without = '{}') => {
    const apart = {...common, ...parsed(without)};
    return Object.entries(parsed(text))
      .filter(([key]) => !(key in apart))
      .map(([key, value]) => `${key}=${value}`)
      .join(', ');
  };

  // What a chart of its own is drawn for: a part of the study on machines with the same settings.
  const choiceOf = (row, settings) =>
    [row.part, row.size, row.timing === 'cycle' ? '' : row.timing, report.settingsText(settings)].filter(Boolean);
  report.choices = (rows, keyOf) => {
    const found = new Map();
    for (const row of rows) {
      const words = keyOf(row),
        key = words.join(' · ');
      if (!found.has(key)) found.set(key, {key, rows: []});
      found.get(key).rows.push(row);
    }
    return [...found.values()];
  };
  const without = (choices, word) => {
    // what all have in common need not be said
    const lists = choices.map(({key}) => key.split(' · '));
    const shared = word ? (lists[0] || []).filter((one) => lists.every((list) => list.includes(one))) : [];
    return choices.map((choice, i) => ({
      ...choice,
      label: lists[i].filter((one) => !shared.includes(one)).join(' · ') || choice.key,
    }));
  };

  // Means of what has been compared come before those of a part that has its baseline alone.
  const meansBy = (data, keyOf) => {
    const compared = ({rows}) => rows.some((row) => row.verdict !== 'baseline');
    const choices = report.choices(report.objects(data.means), keyOf);
    return without(
      choices.sort((a, b) => compared(b) - compared(a)),
      true
    );
  };
  report.meanChoices = (data) => meansBy(data, (row) => [row.part, row.size].filter(Boolean));
  report.areaChoices = (data) => meansBy(data, (row) => choiceOf(row, row.settings));
  report.slotChoices = (data) =>
    without(
      report.choices(
        report.objects(data.points).filter((row) => row.base_cycles && row.schedulers),
        (row) => [...choiceOf(row, row.machine_settings), row.machine]
      ),
      true
    );

  const nameOf = (report.nameOf = (row) => [row.variant, report.settingsText(row.settings)].filter(Boolean).join('  '));
  const MOST_MEANS = (report.mostMeans = 40);

  // Speed-ups over a part's workloads, with intervals and verdicts.
  report.means = (data, choice, look) => {
    const all = choice.rows.filter((row) => row.verdict !== 'baseline');
    if (all.length === 0) return null;
    const machines = look.styles.ordered(unique(all.map((row) => row.machine)));
    const rank = (row) => data.variants.indexOf(row.variant);
    const kept = unique([...all].sort((a, b) => rank(a) - rank(b)).map(nameOf)).slice(0, MOST_MEANS);
    const longest = Math.max(60, ...kept.map((name) => parts.textWidth(name)));
    const left = Math.min(look.width < 520 ? 116 : 250, longest + 20),
      right = 96;
    const model = {facets: machines, chart: {}};
    const frame = parts.frameOf(model, look, {
      least: left + right + 190,
      plot: Math.max(70, kept.length * 30),
      legend: [],
      bottom: 44,
      left,
      right,
    });
    const extent = report.extent([1, ...all.flatMap((row) => [row.low ?? row.speedup, row.high ?? row.speedup])], {});
    const verdictInk =
      look.theme.name === 'light'
        ? {faster: '#11683f', slower: '#a8321a', undecided: '#566074'}
        : {faster: '#6fd39d', slower: '#ff8d73', undecided: '#a3aec1'};
    const series = [],
      xAxis = [],
      yAxis = [];
    machines.forEach((machine, f) => {
      const rows = kept.map((name) => all.find((row) => row.machine === machine && nameOf(row) === name));
      const verdictOf = (row) => (row ? `${report.verdictMarks[row.verdict] || ''} ${row.verdict || ''}` : '');
      xAxis.push({
        gridIndex: f,
        ...parts.valueAxis(look, report.format('.2~f'), extent, false, `speed-up over ${data.baseline}`),
      });
      yAxis.push({
        gridIndex: f,
        type: 'category',
        inverse: true,
        data: kept,
        axisTick: {show: false},
        axisLine: {show: false},
        axisLabel: {
          ...parts.axisText(look.theme),
          color: look.theme.text,
          width: left - 16,
          overflow: 'truncate',
          interval: 0,
        },
      });
      yAxis.push({
        gridIndex: f,
        type: 'category',
        inverse: true,
        position: 'right',
        axisTick: {show: false},
        axisLine: {show: false},
        data: rows.map((row, i) => ({
          value: `${verdictOf(row)}${'\u200b'.repeat(i)}`,
          textStyle: {color: verdictInk[row?.verdict] || look.theme.muted},
        })),
        axisLabel: {fontFamily: look.theme.font, fontSize: 12, interval: 0},
      });
      series.push({
        type: 'custom',
        name: 'interval',
        silent: true,
        z: 1,
        xAxisIndex: f,
        yAxisIndex: 2 * f,
        encode: {x: [0, 1], y: 2},
        data: rows
          .map((row, i) => [row?.low, row?.high, i])
          .filter(([low, high]) => typeof low === 'number' && low !== high),
        renderItem: (params, api) => {
          const [x1, y] = api.coord([api.value(0), api.value(2)]),
            [x2] = api.coord([api.value(1), api.value(2)]);
          const line = (a, b, c, d) => ({
            type: 'line',
            shape: {x1: a, y1: b, x2: c, y2: d},
            style: {stroke: look.theme.muted, lineWidth: 2},
          });
          return {
            type: 'group',
            children: [line(x1, y, x2, y), line(x1, y - 5, x1, y + 5), line(x2, y - 5, x2, y + 5)],
          };
        },
      });
      series.push({
        type: 'scatter',
        name: machine,
        xAxisIndex: f,
        yAxisIndex: 2 * f,
        symbolSize: 13,
        z: 3,
        data: rows
          .map((row, i) =>
            row
              ? {
                  value: [row.speedup, i],
                  row,
                  symbol: look.styles.of(row.variant, data.variants, look.theme).symbol,
                  itemStyle: {
                    color: look.styles.of(row.variant, data.variants, look.theme).colour,
                    opacity: 1,
                    borderColor: look.theme.card,
                    borderWidth: 1.5,
                  },
                }
              : null
          )
          .filter(Boolean),
        markLine: {
          silent: true,
          symbol: 'none',
          animation: false,
          label: {show: false},
          data: [{xAxis: 1}],
          lineStyle: {color: look.theme.text, type: [5, 4], width: 1.2, opacity: 0.65},
        },
      });
      series.push({type: 'scatter', name: 'verdict', xAxisIndex: f, yAxisIndex: 2 * f + 1, data: [], silent: true});
    });
    const format = report.format('.3f');
    return {
      ...frame,
      summary: `Mean speed-ups over ${data.baseline}: ${all
        .slice(0, 12)
        .map((row) => `${nameOf(row)} on ${row.machine} ${format(row.speedup)} (${row.verdict})`)
        .join('; ')}.`,
      option: {
        ...report.baseOption(look, frame, []),
        series,
        xAxis,
        yAxis,
        tooltip: parts.tooltip(look, {
          trigger: 'item',
          formatter: ({data: {row}}) =>
            report.tip(`${nameOf(row)} · ${row.machine}`, [
              [null, 'speed-up', format(row.speedup)],
              ...(typeof row.low === 'number' ? [[null, '95 %', `${format(row.low)} to ${format(row.high)}`]] : []),
              [null, 'verdict', row.verdict, `${row.n} seeds or inputs`],
            ]),
        }),
      },
    };
  };
})();
