// SPDX-License-Identifier: Apache-2.0
// From a figure (its chart's keys, its view's rows, the paper's printed values) to what ECharts draws:
// report.chart(figure, {width, theme, styles, patterns}) → {option, width, height, summary}; null for a table.
(() => {
  const report = (globalThis.report = globalThis.report || {});
  const {unique, escape} = report;
  const PRINTED = 'printed in the paper';
  const BAR_GAP = '8%',
    CATEGORY_GAP = '28%';

  // Widths of text, about: there is no DOM to ask when node draws.
  const textWidth = (text, size = 12) => String(text).length * size * 0.61;

  // The values of one key in the rows, then those that only the paper has; in the order in which they come, numbers by size.
  const values = (rows, printed, key) => {
    const found = unique([...rows, ...printed.filter((row) => key in row)].map((row) => row[key])).filter(
      (v) => v !== null
    );
    return found.length && found.every((value) => value !== '' && Number.isFinite(Number(value)))
      ? found.sort((a, b) => a - b)
      : found;
  };

  function modelOf(figure, look) {
    const chart = figure.chart || {kind: 'table'};
    const rows = report.objects(figure);
    const printed = (figure.printed || []).filter((row) => typeof row.value === 'number').map((row) => ({...row}));
    const of = (key) => (chart[key] ? look.styles.ordered(values(rows, printed, chart[key])) : [null]);
    // 32 of the file is the "32" that a view makes of a setting.
    for (const paper of printed) {
      for (const name of Object.keys(paper)) {
        const ours = rows.find((row) => String(row[name]) === String(paper[name]));
        if (ours && name !== 'value') paper[name] = ours[name];
      }
    }
    const same = (row, keys) => Object.entries(keys).every(([name, value]) => row[name] === value || !(name in row));
    const at = (facet, x, colour) =>
      Object.fromEntries(
        [
          [chart.facet, facet],
          [chart.x, x],
          [chart.colour, colour],
        ].filter(([name]) => name)
      );
    return {
      chart,
      rows,
      printed,
      facets: of('facet'),
      xs: of('x'),
      colours: of('colour'),
      format: report.format(chart.format),
      row: (facet, x, colour) => rows.find((row) => same(row, at(facet, x, colour))),
      paper: (facet, x, colour) => printed.find((row) => same(row, at(facet, x, colour))),
    };
  }

  // Facets in a grid of plots, each with its title, under a legend.
  function frameOf(model, look, {least, plot, legend, bottom, left = 52, right = 14}) {
    const count = model.facets.length;
    const columns = Math.max(1, Math.min(count, Math.floor(look.width / Math.max(least, 300))));
    const width = Math.max(look.width, least);
    const cell = width / columns;
    let lines = legend.length ? 1 : 0,
      used = 0;
    for (const name of legend) {
      const take = textWidth(name) + 46;
      if (used + take > look.width) [lines, used] = [lines + 1, 0];
      used += take;
    }
    const top = lines * 24 + (lines ? 10 : 0),
      title = model.facets[0] !== null || model.chart.y_title ? 34 : 10;
    const step = title + plot + bottom;
    const grids = model.facets.map((facet, i) => ({
      left: (i % columns) * cell + left,
      width: cell - left - right,
      top: top + Math.floor(i / columns) * step + title,
      height: plot,
    }));
    const titles = model.facets.map((facet, i) => ({
      left: grids[i].left - left,
      top: grids[i].top - title,
      text: [facet === null ? '' : `{b|${facet}}`, model.chart.y_title ? `{m|${model.chart.y_title}}` : ''].join(''),
      textStyle: {
        rich: {
          b: {fontSize: 13, fontWeight: 600, color: look.theme.text, fontFamily: look.theme.font},
          m: {
            fontSize: 12,
            fontWeight: 'normal',
            color: look.theme.muted,
            fontFamily: look.theme.font,
            padding: facet === null ? 0 : [0, 0, 0, 12],
          },
        },
      },
    }));
    return {grids, titles, width, height: top + Math.ceil(count / columns) * step, plotWidth: cell - left - right};
  }

  const axisText = (theme) => ({color: theme.muted, fontFamily: theme.font, fontSize: 12});

  function categoryAxis(names, look, plotWidth, title) {
    const longest = Math.max(...names.map((name) => textWidth(name)));
    const turned = longest > plotWidth / names.length - 6;
    const room = turned ? Math.min(96, longest * 0.6 + 16) : 22;
    return {
      bottom: room + (title ? 22 : 6),
      axis: {
        type: 'category',
        data: names.map(String),
        name: title,
        nameLocation: 'middle',
        nameGap: room + 6,
        nameTextStyle: axisText(look.theme),
        axisTick: {show: false},
        axisLine: {lineStyle: {color: look.theme.line}},
        axisLabel: {...axisText(look.theme), interval: 0, rotate: turned ? 36 : 0, width: 130, overflow: 'truncate'},
      },
    };
  }

  const valueAxis = (look, format, extent, log, title) => ({
    type: log ? 'log' : 'value',
    min: extent[0],
    max: extent[1],
    interval: extent[2],
    name: title,
    nameLocation: 'middle',
    nameGap: 28,
    nameTextStyle: axisText(look.theme),
    axisLabel: {...axisText(look.theme), formatter: format, hideOverlap: true},
    splitLine: {lineStyle: {color: look.theme.grid}},
    axisLine: {show: false},
  });

  // Round bounds and the step between marks, the same for all plots of a figure, so that their heights can be compared.
  report.extent = (numbers, {zero, log} = {}) => {
    const known = numbers.filter((value) => typeof value === 'number' && Number.isFinite(value));
    if (log || known.length === 0) return [];
    let low = Math.min(...known),
      high = Math.max(...known);
    if (zero || (low > 0 && low < 0.35 * high)) low = Math.min(0, low);
    if (zero || (high < 0 && high > 0.35 * low)) high = Math.max(0, high);
    const span = high - low || Math.abs(high) || 1;
    const step = [1, 2, 2.5, 5, 10].map((m) => m * 10 ** Math.floor(Math.log10(span / 4))).find((s) => span / s <= 5.5);
    return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step, step].map((v) =>
      Number(v.toPrecision(12))
    );
  };

  const referenceLine = (chart, theme) =>
    chart.reference === undefined
      ? {}
      : {
          markLine: {
            silent: true,
            symbol: 'none',
            animation: false,
            label: {show: false},
            data: [{yAxis: chart.reference}],
            lineStyle: {color: theme.text, type: [5, 4], width: 1.2, opacity: 0.65},
          },
        };

  const numbersOf = (model) => [
    ...model.rows.flatMap((row) => [row[model.chart.y], row[model.chart.low], row[model.chart.high]]),
    ...model.printed.map((row) => row.value),
    model.chart.reference,
  ];

  const whisker = (x, low, high, half, theme, width = 1.4) => ({
    type: 'group',
    children: [
      [x, low, x, high],
      [x - half, low, x + half, low],
      [x - half, high, x + half, high],
    ].map(([x1, y1, x2, y2]) => ({
      type: 'line',
      shape: {x1, y1, x2, y2},
      style: {stroke: theme.text, lineWidth: width, opacity: 0.85},
    })),
  });

  // The paper's mark: a diamond that no series of ours has, in the colours of text and card.
  const paperMark = (x, y, theme, size = 5.5) => ({
    type: 'polygon',
    z2: 20,
    shape: {
      points: [
        [x, y - size],
        [x + size, y],
        [x, y + size],
        [x - size, y],
      ],
    },
    style: {fill: theme.card, stroke: theme.text, lineWidth: 1.8},
  });
  const paperLegend = (theme) => ({
    name: PRINTED,
    icon: 'diamond',
    itemStyle: {color: theme.card, borderColor: theme.text, borderWidth: 1.8},
  });

  const swatch = (colour) => `<span class="swatch" style="background:${colour}"></span>`;
  report.tip = (title, lines) =>
    `<div class="tip"><strong>${escape(title)}</strong>` +
    lines
      .map(
        ([colour, name, value, more]) =>
          `<div class="tip-line">${colour ? swatch(colour) : ''}<span>${escape(name)}</span><b>${escape(value)}</b>${
            more ? `<small>${escape(more)}</small>` : ''
          }</div>`
      )
      .join('') +
    '</div>';

  // What hovering says of a value: itself, its interval, the paper's.
  function tipLine(model, look, facet, x, colour) {
    const {chart, format} = model;
    const row = model.row(facet, x, colour),
      paper = model.paper(facet, x, colour);
    if (!row && !paper) return null;
    const notes = [];
    if (row && typeof row[chart.low] === 'number' && row[chart.low] !== row[chart.high])
      notes.push(`95 %: ${format(row[chart.low])} to ${format(row[chart.high])}`);
    if (paper) notes.push(`paper: ${format(paper.value)}${paper.where ? ` (${paper.where})` : ''}`);
    const name = colour === null ? chart.y_title || chart.y : colour;
    return [
      look.styles.of(colour, model.colours, look.theme).colour,
      name,
      row ? format(row[chart.y]) : '–',
      notes.join(' · '),
    ];
  }
  const axisTip = (model, look, facet, x) =>
    report.tip(
      [facet, x].filter((t) => t !== null).join(' · '),
      model.colours.map((colour) => tipLine(model, look, facet, x, colour)).filter(Boolean)
    );

  const tooltip = (look, more) => ({
    confine: true,
    backgroundColor: look.theme.card,
    borderColor: look.theme.line,
    textStyle: {color: look.theme.text, fontFamily: look.theme.font, fontSize: 13},
    ...more,
  });
  report.tooltip = tooltip;

  report.baseOption = (look, frame, legend) => ({
    backgroundColor: 'transparent',
    animationDuration: look.still ? 0 : 350,
    animation: !look.still,
    textStyle: {fontFamily: look.theme.font},
    grid: frame.grids,
    title: frame.titles,
    aria: {enabled: true},
    legend: {
      show: legend.length > 0,
      data: legend,
      top: 0,
      left: 0,
      width: look.width - 8,
      itemWidth: 16,
      itemHeight: 12,
      itemGap: 14,
      symbolKeepAspect: true,
      textStyle: {...axisText(look.theme), color: look.theme.text},
      inactiveColor: look.theme.line,
    },
  });

  const seriesName = (model, colour) => String(colour ?? model.chart.y_title ?? model.chart.y);
  const legendOf = (model, theme) => [
    ...(model.chart.colour ? model.colours.map((colour) => ({name: seriesName(model, colour)})) : []),
    ...(model.printed.length ? [paperLegend(theme)] : []),
  ];
  const colourStyle = (look, model, colour) => look.styles.of(colour, model.colours, look.theme, look.patterns);

  // Where the bar of a series stands: ECharts deals the room of a category among the series that the legend shows.
  function barCentre(api, x, y, mine, siblings) {
    const shown = siblings.filter((index) => api.currentSeriesIndices().includes(index));
    const place = shown.indexOf(mine);
    if (place < 0) return null;
    const slots = api.barLayout({count: shown.length, barGap: BAR_GAP, barCategoryGap: CATEGORY_GAP, barMaxWidth: 46});
    const [px, py] = api.coord([x, y]);
    return {x: px + slots[place].offsetCenter, y: py, width: slots[place].width};
  }

  function bars(model, look) {
    const {chart, colours, facets, xs} = model;
    const least = xs.length * (colours.length * 8 + 12) + 70;
    const legend = legendOf(model, look.theme);
    const probe = frameOf(model, look, {least, plot: 250, legend: legend.map((l) => l.name), bottom: 40});
    const x = categoryAxis(xs, look, probe.plotWidth, chart.x_title);
    const frame = frameOf(model, look, {least, plot: 250, legend: legend.map((l) => l.name), bottom: x.bottom});
    const extent = report.extent(numbersOf(model), {zero: true, log: chart.log});
    const series = [],
      facetOf = [];
    const add = (facet, one) => {
      facetOf.push(facet);
      series.push({xAxisIndex: facet, yAxisIndex: facet, ...one});
    };
    facets.forEach((facet, f) => {
      const first = series.length,
        siblings = colours.map((_, i) => first + i);
      colours.forEach((colour, i) => {
        const style = colourStyle(look, model, colour);
        add(f, {
          type: 'bar',
          name: seriesName(model, colour),
          barGap: BAR_GAP,
          barCategoryGap: CATEGORY_GAP,
          barMaxWidth: 46,
          data: xs.map((value) => model.row(facet, value, colour)?.[chart.y] ?? null),
          itemStyle: {color: style.colour, decal: style.decal, borderRadius: chart.log ? 0 : [2, 2, 0, 0]},
          ...(i === 0 ? referenceLine(chart, look.theme) : {}),
        });
      });
      colours.forEach((colour, i) => {
        const data = xs
          .map((value, at) => [at, model.row(facet, value, colour)])
          .filter(([, row]) => row && typeof row[chart.low] === 'number' && row[chart.low] !== row[chart.high])
          .map(([at, row]) => [at, row[chart.low], row[chart.high]]);
        if (data.length === 0) return;
        add(f, {
          type: 'custom',
          name: seriesName(model, colour),
          silent: true,
          z: 5,
          data,
          encode: {x: 0, y: [1, 2]},
          renderItem: (params, api) => {
            const at = barCentre(api, api.value(0), api.value(1), siblings[i], siblings);
            return (
              at &&
              whisker(at.x, at.y, api.coord([api.value(0), api.value(2)])[1], Math.min(5, at.width / 3), look.theme)
            );
          },
        });
      });
      const marks = xs
        .flatMap((value, at) => colours.map((colour, i) => [at, model.paper(facet, value, colour)?.value, i]))
        .filter((m) => m[1] !== undefined);
      if (marks.length)
        add(
          f,
          printed(marks, look, (params, api) => {
            const at = barCentre(api, api.value(0), api.value(1), siblings[api.value(2)], siblings);
            return at && paperMark(at.x, at.y, look.theme);
          })
        );
    });
    return {
      ...frame,
      option: {
        ...report.baseOption(look, frame, legend),
        series,
        tooltip: tooltip(look, {
          trigger: 'axis',
          axisPointer: {type: 'shadow', shadowStyle: {color: look.theme.grid, opacity: 0.5}},
          formatter: (items) => axisTip(model, look, facets[facetOf[items[0].seriesIndex]], xs[items[0].dataIndex]),
        }),
        xAxis: facets.map((_, i) => ({gridIndex: i, ...x.axis})),
        yAxis: facets.map((_, i) => ({gridIndex: i, ...valueAxis(look, model.format, extent, chart.log)})),
      },
    };
  }

  report.charts = {bars};
  // The paper's values as a series: marks at [x, value], or where `renderItem` puts them.
  function printed(data, look, renderItem) {
    const at = (params, api) => paperMark(...api.coord([api.value(0), api.value(1)]), look.theme);
    return {
      type: 'custom',
      name: PRINTED,
      silent: true,
      z: 6,
      data,
      encode: {x: 0, y: 1},
      itemStyle: {color: look.theme.text},
      renderItem: renderItem || at,
    };
  }

  report.chartParts = {
    modelOf,
    frameOf,
    categoryAxis,
    valueAxis,
    referenceLine,
    numbersOf,
    whisker,
    printed,
    legendOf,
    colourStyle,
    seriesName,
    axisTip,
    tipLine,
    axisText,
    tooltip,
    textWidth,
    PRINTED,
  };

  // What a figure shows, in a sentence, for those who do not see it.
  function summaryOf(model, title) {
    const {chart} = model,
      key = chart.kind === 'heatmap' ? chart.value : chart.y;
    const known = model.rows.filter((row) => typeof row[key] === 'number');
    if (known.length === 0) return `${title}: no values yet.`;
    const name = (row) =>
      [chart.facet, chart.x, chart.kind === 'heatmap' ? chart.y : chart.colour]
        .filter(Boolean)
        .map((k) => row[k])
        .join(', ');
    const least = known.reduce((a, b) => (b[key] < a[key] ? b : a)),
      most = known.reduce((a, b) => (b[key] > a[key] ? b : a));
    return `${title}: ${known.length} values, from ${model.format(least[key])} (${name(least)}) to ${model.format(most[key])} (${name(most)})${
      model.printed.length ? `, ${model.printed.length} printed in the paper` : ''
    }. The table below has all of them.`;
  }

  report.chart = (figure, look) => {
    const model = modelOf(figure, look);
    const build = report.charts[model.chart.kind];
    if (!build || model.rows.length === 0) return null;
    const {option, width, height} = build(model, look);
    return {option, width, height, summary: summaryOf(model, figure.title)};
  };
})();
