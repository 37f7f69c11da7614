// SPDX-License-Identifier: Apache-2.0
// The other kinds of charts: stacked, lines, points, heatmap, waterfall.
(() => {
  const {report} = globalThis;
  const parts = report.chartParts;

  function framed(model, look, {least, plot, legend}, names) {
    const shape = {least, plot, legend: legend.map((l) => l.name)};
    const probe = parts.frameOf(model, look, {...shape, bottom: 40});
    const x = parts.categoryAxis(names, look, probe.plotWidth, model.chart.x_title);
    return {x, frame: parts.frameOf(model, look, {...shape, bottom: x.bottom})};
  }

  // Parts of a whole. The paper's value of a part stands as a mark on what lies below it in the stack, a total on the axis.
  function stacked(model, look) {
    const {chart, colours, facets, xs} = model;
    const legend = parts.legendOf(model, look.theme);
    const {x, frame} = framed(model, look, {least: xs.length * 24 + 70, plot: 260, legend}, xs);
    const value = (facet, at, colour) => model.row(facet, at, colour)?.[chart.y] ?? null;
    const totals = facets.flatMap((facet) =>
      xs.map((at) => colours.reduce((sum, colour) => sum + Math.max(0, value(facet, at, colour)), 0))
    );
    const low = facets.flatMap((facet) => xs.flatMap((at) => colours.map((colour) => value(facet, at, colour))));
    const series = [],
      facetOf = [];
    facets.forEach((facet, f) => {
      colours.forEach((colour, i) => {
        const style = parts.colourStyle(look, model, colour);
        facetOf.push(f);
        series.push({
          type: 'bar',
          stack: `s${f}`,
          xAxisIndex: f,
          yAxisIndex: f,
          name: parts.seriesName(model, colour),
          barMaxWidth: 46,
          barCategoryGap: '28%',
          data: xs.map((at) => value(facet, at, colour)),
          itemStyle: {
            color: style.colour,
            decal: look.patterns ? report.stackDecal(i, look.theme, true) : style.decal,
            borderColor: look.theme.card,
            borderWidth: 0.5,
          },
          ...(i === 0 ? parts.referenceLine(chart, look.theme) : {}),
        });
      });
      const marks = xs.flatMap((at, index) => {
        let below = 0;
        return colours
          .flatMap((colour) => {
            const paper = model.printed.find(
              (row) =>
                row[chart.x] === at &&
                row[chart.colour] === colour &&
                (!chart.facet || !(chart.facet in row) || row[chart.facet] === facet)
            );
            const mark = paper ? [[index, below + paper.value]] : [];
            below += paper ? paper.value : value(facet, at, colour) || 0;
            return mark;
          })
          .concat(
            model.printed
              .filter((row) => row[chart.x] === at && !(chart.colour in row))
              .map((row) => [index, row.value])
          );
      });
      if (marks.length === 0) return;
      facetOf.push(f);
      series.push({xAxisIndex: f, yAxisIndex: f, ...parts.printed(marks, look)});
    });
    const extent = report.extent([...totals, ...low, ...model.printed.map((row) => row.value)], {zero: true});
    if (totals.every((total) => total <= 1.0001) && totals.some((total) => total > 0.9)) extent.splice(1, 2, 1, 0.2);
    return {
      ...frame,
      option: {
        ...report.baseOption(look, frame, legend),
        series,
        tooltip: parts.tooltip(look, {
          trigger: 'axis',
          axisPointer: {type: 'shadow', shadowStyle: {color: look.theme.grid, opacity: 0.5}},
          formatter: (items) =>
            parts.axisTip(model, look, facets[facetOf[items[0].seriesIndex]], xs[items[0].dataIndex]),
        }),
        xAxis: facets.map((_, i) => ({gridIndex: i, ...x.axis})),
        yAxis: facets.map((_, i) => ({gridIndex: i, ...parts.valueAxis(look, model.format, extent)})),
      },
    };
  }

  // Doublings, such as 8, 16, 32, and few steps stand at equal distances; other numbers where they belong.
  function ordered(xs) {
    return xs.length <= 12 || !xs.every((value) => typeof value === 'number');
  }

  function lines(model, look) {
    const {chart, colours, facets, xs} = model;
    const steps = ordered(xs),
      legend = parts.legendOf(model, look.theme);
    const {x, frame} = framed(model, look, {least: steps ? xs.length * 26 + 80 : 280, plot: 250, legend}, xs);
    const place = (value) => (steps ? xs.indexOf(value) : value);
    const extent = report.extent(parts.numbersOf(model), {log: chart.log});
    const series = [],
      facetOf = [];
    const add = (f, one) => {
      facetOf.push(f);
      series.push({xAxisIndex: f, yAxisIndex: f, ...one});
    };
    facets.forEach((facet, f) => {
      colours.forEach((colour, i) => {
        const style = parts.colourStyle(look, model, colour);
        add(f, {
          type: 'line',
          name: parts.seriesName(model, colour),
          connectNulls: false,
          symbol: style.symbol,
          symbolSize: 9,
          showAllSymbol: true,
          lineStyle: {color: style.colour, width: 2.2, type: style.dash},
          itemStyle: {color: style.colour, borderColor: look.theme.card, borderWidth: 1},
          data: xs.map((at) => [place(at), model.row(facet, at, colour)?.[chart.y] ?? null]),
          ...(i === 0 ? parts.referenceLine(chart, look.theme) : {}),
        });
      });
      colours.forEach((colour) => {
        const data = xs
          .map((at) => [place(at), model.row(facet, at, colour)])
          .filter(([, row]) => row && typeof row[chart.low] === 'number' && row[chart.low] !== row[chart.high])
          .map(([at, row]) => [at, row[chart.low], row[chart.high]]);
        if (data.length === 0) return;
        const style = parts.colourStyle(look, model, colour);
        add(f, {
          type: 'custom',
          name: parts.seriesName(model, colour),
          silent: true,
          z: 1,
          data,
          encode: {x: 0, y: [1, 2]},
          itemStyle: {color: style.colour},
          renderItem: (params, api) => {
            const [px, low] = api.coord([api.value(0), api.value(1)]);
            return parts.whisker(px, low, api.coord([api.value(0), api.value(2)])[1], 4, {text: style.colour});
          },
        });
      });
      const marks = xs
        .flatMap((at) => colours.map((colour) => [place(at), model.paper(facet, at, colour)?.value]))
        .filter((m) => m[1] !== undefined);
      if (marks.length)
        add(f, parts.printed(marks, look));
    });
    const axis = steps
      ? x.axis
      : {...parts.valueAxis(look, report.format(), report.extent(xs), false, chart.x_title), splitLine: {show: false}};
    return {
      ...frame,
      option: {
        ...report.baseOption(look, frame, legend),
        series,
        tooltip: parts.tooltip(look, {
          trigger: 'axis',
          axisPointer: {lineStyle: {color: look.theme.muted}},
          formatter: (items) => {
            const at = steps ? xs[items[0].value[0]] : items[0].value[0];
            return parts.axisTip(model, look, facets[facetOf[items[0].seriesIndex]], at);
          },
        }),
        xAxis: facets.map((_, i) => ({gridIndex: i, ...axis})),
        yAxis: facets.map((_, i) => ({gridIndex: i, ...parts.valueAxis(look, model.format, extent, chart.log)})),
      },
    };
  }

  // What both axes of a plot with a diagonal go over: whole decades where they are logarithmic.
  function square({chart, rows}, facet) {
    const numbers = rows
      .filter((row) => facet === null || row[chart.facet] === facet)
      .flatMap((row) => [row[chart.x], row[chart.y]]);
    if (!chart.log) return report.extent(numbers);
    const low = Math.floor(Math.log10(Math.min(...numbers))),
      high = Math.ceil(Math.log10(Math.max(...numbers)));
    return [10 ** low, 10 ** Math.max(high, low + 1)];
  }

  // Where x and y are the same.
  function diagonal(extent, look) {
    const line = parts.referenceLine({reference: 0}, look.theme);
    line.markLine.data = [extent.slice(0, 2).map((value) => ({coord: [value, value]}))];
    return line;
  }

  function points(model, look) {
    const {chart, colours, facets} = model;
    const legend = parts.legendOf(model, look.theme),
      numeric = model.xs.every((value) => typeof value === 'number');
    const least = 300,
      bottom = chart.x_title || numeric ? 50 : 40;
    const frame = parts.frameOf(model, look, {least, plot: 290, legend: legend.map((l) => l.name), bottom});
    const squares = chart.diagonal ? facets.map((facet) => square(model, facet)) : null;
    const decades = chart.log && squares?.every(([low]) => low >= 1) ? report.format('s') : null;
    const numbers = parts.valueAxis(look, decades || report.format(), report.extent(model.xs), false, chart.x_title || chart.x);
    const x = numeric
      ? {
          ...numbers,
          splitLine: {show: false},
          axisLabel: {...numbers.axisLabel, alignMaxLabel: 'right'},
          axisLine: {show: true, lineStyle: {color: look.theme.line}},
        }
      : parts.categoryAxis(model.xs, look, frame.plotWidth, chart.x_title).axis;
    const extent = report.extent(parts.numbersOf(model), {log: chart.log});
    const few = model.rows.length <= 40;
    const series = facets.flatMap((facet, f) =>
      colours.map((colour, i) => {
        const style = parts.colourStyle(look, model, colour);
        const rows = model.rows.filter(
          (row) => (facet === null || row[chart.facet] === facet) && (colour === null || row[chart.colour] === colour)
        );
        return {
          type: 'scatter',
          xAxisIndex: f,
          yAxisIndex: f,
          name: parts.seriesName(model, colour),
          symbol: style.symbol,
          symbolSize: 11,
          itemStyle: {color: style.colour, opacity: 1, borderColor: look.theme.card, borderWidth: 1},
          data: rows.map((row) => ({
            value: [numeric ? row[chart.x] : model.xs.indexOf(row[chart.x]), row[chart.y]],
            name: chart.label ? String(row[chart.label]) : '',
            row,
          })),
          label: {
            show: few && Boolean(chart.label),
            formatter: '{b}',
            position: 'right',
            color: look.theme.muted,
            fontSize: 11,
            fontFamily: look.theme.font,
          },
          labelLayout: {hideOverlap: true, moveOverlap: 'shiftY'},
          ...(i === 0 ? parts.referenceLine(chart, look.theme) : {}),
          ...(i === 0 && squares ? diagonal(squares[f], look) : {}),
        };
      })
    );
    const marks = facets.flatMap((facet, f) =>
      model.printed
        .filter((row) => chart.x in row && (facet === null || !(chart.facet in row) || row[chart.facet] === facet))
        .map((row) => [f, numeric ? row[chart.x] : model.xs.indexOf(row[chart.x]), row.value])
    );
    facets.forEach((_, f) => {
      const mine = marks.filter((mark) => mark[0] === f).map(([, at, value]) => [at, value]);
      if (mine.length)
        series.push({xAxisIndex: f, yAxisIndex: f, ...parts.printed(mine, look)});
    });
    return {
      ...frame,
      option: {
        ...report.baseOption(look, frame, legend),
        series,
        tooltip: parts.tooltip(look, {
          trigger: 'item',
          formatter: ({data, seriesName}) =>
            report.tip(
              [data.row[chart.label], chart.facet && data.row[chart.facet]].filter(Boolean).join(' · ') || seriesName,
              [
                [null, seriesName, ''],
                [null, chart.x_title || chart.x, report.format()(data.row[chart.x])],
                [null, chart.y_title || chart.y, model.format(data.row[chart.y])],
              ]
            ),
        }),
        xAxis: facets.map((_, i) => ({
          gridIndex: i,
          ...x,
          ...(squares && {type: chart.log ? 'log' : 'value'}),
          ...(squares && Object.fromEntries(['min', 'max', 'interval'].map((name, k) => [name, squares[i][k]]))),
        })),
        yAxis: facets.map((_, i) => ({
          gridIndex: i,
          ...parts.valueAxis(look, decades || model.format, squares ? squares[i] : extent, chart.log),
        })),
      },
    };
  }

  // Values as colours, with the number and the paper's in the cell where there is room.
  function heatmap(model, look) {
    const {chart, facets, xs} = model;
    const ys = look.styles.ordered(report.unique(model.rows.map((row) => row[chart.y])));
    const left = Math.min(230, Math.max(...ys.map((name) => parts.textWidth(name))) + 18);
    const probe = parts.frameOf(model, look, {
      least: xs.length * 34 + left + 20,
      plot: 200,
      legend: [],
      bottom: 40,
      left,
    });
    const x = parts.categoryAxis(xs, look, probe.plotWidth, chart.x_title);
    const row = model.printed.length ? 42 : 32;
    const frame = parts.frameOf(model, look, {
      least: xs.length * 34 + left + 20,
      plot: Math.max(96, ys.length * row),
      legend: [],
      bottom: x.bottom,
      left,
    });
    const paper = (facet, at, y) =>
      model.printed.find(
        (p) =>
          p[chart.x] === at && p[chart.y] === y && (facet === null || !(chart.facet in p) || p[chart.facet] === facet)
      );
    const numbers = model.rows.map((one) => one[chart.value]).filter((value) => typeof value === 'number');
    const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
    const around = chart.reference !== undefined && chart.reference > min && chart.reference < max;
    const reach = around ? Math.max(max - chart.reference, chart.reference - min) : 0;
    const wide = frame.plotWidth / xs.length >= parts.textWidth(model.format(max)) + 4;
    const range = {min, max: max === min ? min + 1 : max};
    // As strong on one side of the reference as on the other, however far each goes.
    const colours = !around
      ? look.theme.heat
      : Array.from({length: 25}, (_, i) =>
          report.mix(look.theme.diverging, ((min + (i / 24) * (max - min) - chart.reference) / reach + 1) / 2)
        );
    const ink = (value) => report.inkOn(report.mix(colours, (value - range.min) / (range.max - range.min)));
    const series = facets.map((facet, f) => ({
      type: 'heatmap',
      xAxisIndex: f,
      yAxisIndex: f,
      name: String(facet ?? chart.value),
      data: model.rows
        .filter((one) => facet === null || one[chart.facet] === facet)
        .map((one) => ({
          value: [xs.indexOf(one[chart.x]), ys.indexOf(one[chart.y]), one[chart.value]],
          label: {color: ink(one[chart.value])},
        })),
      label: {
        show: wide,
        fontSize: 11.5,
        lineHeight: 14,
        fontFamily: look.theme.font,
        formatter: ({value}) => {
          const printed = paper(facet, xs[value[0]], ys[value[1]]);
          return model.format(value[2]) + (printed ? `\n◇ ${model.format(printed.value)}` : '');
        },
      },
      itemStyle: {borderColor: look.theme.card, borderWidth: 2, borderRadius: 4},
      emphasis: {itemStyle: {borderColor: look.theme.text}},
    }));
    return {
      ...frame,
      height: frame.height + 34,
      option: {
        ...report.baseOption(look, frame, []),
        series,
        tooltip: parts.tooltip(look, {
          trigger: 'item',
          formatter: ({seriesIndex, value}) => {
            const printed = paper(facets[seriesIndex], xs[value[0]], ys[value[1]]);
            return report.tip(
              [facets[seriesIndex], xs[value[0]], ys[value[1]]]
                .filter((t) => t !== null && t !== undefined)
                .join(' · '),
              [
                [null, chart.value, model.format(value[2])],
                ...(printed ? [[null, 'paper', model.format(printed.value), printed.where]] : []),
              ]
            );
          },
        }),
        visualMap: {
          ...range,
          calculable: false,
          orient: 'horizontal',
          left: 'center',
          bottom: 0,
          itemWidth: 12,
          itemHeight: 160,
          precision: 2,
          inRange: {color: colours},
          textStyle: parts.axisText(look.theme),
          text: [model.format(range.max), model.format(range.min)],
        },
        xAxis: facets.map((_, i) => ({gridIndex: i, ...x.axis, splitArea: {show: false}})),
        yAxis: facets.map((_, i) => ({
          gridIndex: i,
          type: 'category',
          data: ys.map(String),
          inverse: true,
          axisTick: {show: false},
          axisLine: {show: false},
          axisLabel: {...parts.axisText(look.theme), width: left - 14, overflow: 'truncate'},
        })),
      },
    };
  }

  // Where the first row is, what each one adds or takes, and where the last one is; from top to bottom.
  function waterfall(model, look) {
    const {chart, rows} = model;
    const kinds = ['both ends', 'more', 'less'].map((name, i) => ({name, colour: look.theme.palette[[0, 2, 1][i]]}));
    let level = 0;
    const steps = rows.map((row, i) => {
      const end = i === 0 || i === rows.length - 1,
        from = end ? 0 : level;
      level = from + row[chart.y];
      const kind = end ? 0 : row[chart.y] > 0 ? 1 : 2;
      return {name: String(row[chart.x]), from, to: level, kind, text: (kind === 1 ? '+' : '') + model.format(row[chart.y])};
    });
    const [height, room] = [26, Math.max(...steps.map(({text}) => parts.textWidth(text, 11))) + 6];
    const frame = parts.frameOf(model, look, {
      least: 320,
      plot: rows.length * height,
      legend: kinds.map(({name}) => name),
      bottom: 46,
      left: Math.min(0.45 * Math.max(look.width, 320), Math.max(...steps.map(({name}) => parts.textWidth(name))) + 14),
      right: room,
    });
    const ticks = steps.some(({to}) => to >= 10000) ? report.format('s') : model.format;
    const axis = parts.valueAxis(look, ticks, report.extent(steps.map(({to}) => to), {zero: true}), false, chart.y);
    const names = {type: 'category', inverse: true, axisTick: {show: false}, data: steps.map(({name}) => name)};
    return {
      ...frame,
      option: {
        ...report.baseOption(look, frame, kinds.map(({name}) => ({name}))),
        tooltip: parts.tooltip(look, {
          trigger: 'item',
          formatter: ({data: [i]}) =>
            report.tip(steps[i].name, [
              [kinds[steps[i].kind].colour, chart.y, steps[i].text],
              [null, 'so far', model.format(steps[i].to)],
            ]),
        }),
        xAxis: axis,
        yAxis: {...names, axisLabel: {...parts.axisText(look.theme), interval: 0, width: frame.grids[0].left - 10, overflow: 'truncate'}},
        series: kinds.map(({name, colour}, kind) => ({
          type: 'custom',
          name,
          itemStyle: {color: colour, decal: report.stackDecal(kind, look.theme, look.patterns)},
          encode: {x: [1, 2], y: 0},
          data: steps.map((step, i) => [i, step.from, step.to, step.kind]).filter((step) => step[3] === kind),
          renderItem: (params, api) => {
            const i = api.value(0),
              [[from, y], [to]] = [api.coord([api.value(1), i]), api.coord([api.value(2), i])];
            const shape = {x: Math.min(from, to), y: y - height / 2 + 3, width: Math.max(1, Math.abs(to - from)), height: height - 6};
            const text = {
              text: steps[i].text,
              x: shape.x + shape.width + 4,
              y,
              verticalAlign: 'middle',
              fill: look.theme.text,
              font: `11px ${look.theme.font}`,
            };
            const next = {x1: to, x2: to, y1: y + height / 2 - 3, y2: y + height / 2 + 3};
            return {
              type: 'group',
              children: [
                {type: 'rect', shape, style: api.style()},
                {type: 'text', style: text},
                ...(i < steps.length - 1
                  ? [{type: 'line', shape: next, style: {stroke: look.theme.muted, lineWidth: 1}}]
                  : []),
              ],
            };
          },
        })),
      },
    };
  }

  Object.assign(report.charts, {stacked, lines, points, heatmap, waterfall});
})();
