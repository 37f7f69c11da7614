// SPDX-License-Identifier: Apache-2.0
// Cores over time, of the points that were run with a time trace (docs/tracing.md).
(() => {
  const {report} = globalThis;
  const parts = report.chartParts;
  const whole = report.format(',d');

  const spanOf = (timeline, bin) =>
    `cycles ${whole(timeline.from + bin * timeline.cycles)} to ${whole(timeline.from + (bin + 1) * timeline.cycles)}`;
  const bins = (timeline) => timeline.blocks[0].map((_, bin) => bin);
  const timeAxis = (timeline, look) => ({
    type: 'category',
    data: bins(timeline),
    name: 'cycles',
    nameLocation: 'middle',
    nameGap: 28,
    nameTextStyle: parts.axisText(look.theme),
    boundaryGap: true,
    axisTick: {show: false},
    axisLine: {lineStyle: {color: look.theme.line}},
    axisLabel: {
      ...parts.axisText(look.theme),
      hideOverlap: true,
      formatter: (bin) => report.format('s')(timeline.from + Number(bin) * timeline.cycles),
    },
  });

  // Stretches in which fewer than half of the cores hold a block: tails, by whichever launch.
  report.tails = (timeline) => {
    const cores = timeline.blocks.length,
      found = [];
    for (const bin of bins(timeline)) {
      const busy = timeline.blocks.filter((core) => core[bin] > 0).length;
      if (busy === 0 || busy >= cores / 2) continue;
      if (found.at(-1)?.[1] === bin - 1) found.at(-1)[1] = bin;
      else found.push([bin, bin]);
    }
    return found;
  };

  const simple = (look, height, legend) =>
    parts.frameOf({facets: [null], chart: {}}, look, {least: 300, plot: height, legend, bottom: 46, left: 64});

  report.blocksOverTime = (timeline, look) => {
    const cores = timeline.blocks.length,
      most = Math.max(1, ...timeline.blocks.flat());
    const frame = simple(look, Math.min(420, Math.max(110, cores * 14)), []),
      tails = report.tails(timeline);
    const share = report.format('.0%')(tails.reduce((sum, [a, b]) => sum + b - a + 1, 0) / timeline.blocks[0].length);
    return {
      ...frame,
      height: frame.height + 36,
      summary: `Blocks on each of ${cores} cores over time, up to ${most}; in ${share} of the time some but fewer than half of the cores have one.`,
      option: {
        ...report.baseOption(look, frame, []),
        animation: false,
        tooltip: parts.tooltip(look, {
          trigger: 'item',
          formatter: ({value}) =>
            report.tip(`core ${value[1]}`, [
              [null, spanOf(timeline, value[0]), ''],
              [null, 'blocks', report.format('.2~f')(value[2])],
            ]),
        }),
        visualMap: {
          min: 0,
          max: most,
          orient: 'horizontal',
          left: 'center',
          bottom: 0,
          itemWidth: 12,
          itemHeight: 160,
          inRange: {color: look.theme.heat},
          textStyle: parts.axisText(look.theme),
          text: [`${most} blocks`, 'none'],
        },
        xAxis: timeAxis(timeline, look),
        yAxis: {
          type: 'category',
          data: timeline.blocks.map((_, core) => core),
          inverse: true,
          name: 'core',
          nameLocation: 'middle',
          nameGap: 34,
          nameTextStyle: parts.axisText(look.theme),
          axisTick: {show: false},
          axisLine: {show: false},
          axisLabel: parts.axisText(look.theme),
        },
        series: [
          {
            type: 'heatmap',
            progressive: 0,
            data: timeline.blocks.flatMap((core, y) => core.map((value, x) => [x, y, value])),
            itemStyle: {borderWidth: 0},
            emphasis: {itemStyle: {borderColor: look.theme.text, borderWidth: 1}},
            markArea: {
              silent: true,
              z: 10,
              itemStyle: {
                color: 'transparent',
                borderColor: look.theme.palette[2],
                borderWidth: 1.5,
                borderType: 'dashed',
              },
              data: tails.map(([a, b]) => [{xAxis: a}, {xAxis: b}]),
            },
          },
        ],
      },
    };
  };

  const SLOTS = [
    ['issued', (theme) => theme.issue[1], 'issued'],
    ['stall', (theme) => theme.waiting.stall, 'stall: units busy'],
    ['fetch', (theme) => theme.waiting.w0_fetch, 'waits for instructions'],
    ['memory', (theme) => theme.waiting.w0_mem, 'waits for memory'],
    ['idle', (theme) => theme.waiting.w0_idle, 'idle otherwise'],
  ];

  // Per cent of the slots; `core`: one, or null for all together.
  report.slotsOverTime = (timeline, core, look) => {
    const chosen = core === null ? timeline.slots : [timeline.slots[core]];
    const series = SLOTS.map(([name, colour, title], i) => ({
      name,
      title,
      colour: colour(look.theme),
      i,
      values: bins(timeline).map(
        (bin) => chosen.reduce((sum, one) => sum + (one[name]?.[bin] ?? 0), 0) / chosen.length
      ),
    })).filter(({values}) => values.some((value) => value > 0));
    const frame = simple(
      look,
      210,
      series.map((one) => one.title)
    );
    return {
      ...frame,
      summary: `What the issue slots of ${core === null ? 'all cores' : `core ${core}`} go to over time: ${series.map((one) => `${one.title} ${(one.values.reduce((a, b) => a + b, 0) / one.values.length).toFixed(0)} %`).join(', ')} on average.`,
      option: {
        ...report.baseOption(
          look,
          frame,
          series.map((one) => ({name: one.title}))
        ),
        animation: false,
        tooltip: parts.tooltip(look, {
          trigger: 'axis',
          formatter: (items) =>
            report.tip(
              spanOf(timeline, items[0].dataIndex),
              series.map((one) => [one.colour, one.title, `${one.values[items[0].dataIndex].toFixed(1)} %`]).reverse()
            ),
        }),
        xAxis: {...timeAxis(timeline, look), boundaryGap: false},
        yAxis: {...parts.valueAxis(look, (value) => `${value} %`, [0, 100, 25])},
        series: series.map((one) => ({
          type: 'line',
          name: one.title,
          stack: 'all',
          symbol: 'none',
          lineStyle: {width: 0},
          areaStyle: {color: one.colour, opacity: 1, decal: report.stackDecal(one.i, look.theme, look.patterns)},
          itemStyle: {color: one.colour},
          data: one.values,
        })),
      },
    };
  };

  report.timeSection = (data) => {
    if (!data.timelines?.length) return null;
    const {h} = report;
    let timeline = data.timelines[0],
      core = null;
    const choices = data.timelines.map((one) => ({label: `${one.number}: ${one.label}`, timeline: one}));
    const cores = h('div');
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length,
      one = report.format('.1f');
    const slotRows = () =>
      timeline.slots.map((of, i) => ({
        core: i,
        ...Object.fromEntries(Object.entries(of).map(([name, values]) => [name, mean(values)])),
      }));
    const slots = report.card({
      name: 'slots_over_time',
      fill: (element) =>
        report.table(element, {
          label: 'Issue slots by core, per cent',
          rows: slotRows(),
          columns: [
            report.column('core', 'core', {number: whole}),
            ...SLOTS.filter(([name]) => name in timeline.slots[0]).map(([name, , title]) =>
              report.column(name, `${title}, %`, {number: one})
            ),
          ],
        }),
      title: 'What issue slots go to over time',
      build: (look) => report.slotsOverTime(timeline, core, look),
      controls: cores,
    });
    const offerCores = () =>
      cores.replaceChildren(
        report.picker(
          'Core',
          [{label: 'all together', core: null}, ...timeline.slots.map((_, i) => ({label: `core ${i}`, core: i}))],
          (picked) => {
            core = picked.core;
            slots.again();
          }
        ) || ''
      );
    offerCores();
    const csv = () =>
      report.csv(
        ['core', 'from', 'to', 'blocks'],
        timeline.blocks.flatMap((values, i) =>
          values.map((value, bin) => [
            i,
            timeline.from + bin * timeline.cycles,
            timeline.from + (bin + 1) * timeline.cycles,
            value,
          ])
        )
      );
    const blocks = report.card({
      name: 'blocks_over_time',
      title: 'Blocks on each core over time',
      where: 'dashed: some, but fewer than half of the cores have a block',
      build: (look) => report.blocksOverTime(timeline, look),
      csv,
      fill: (element) =>
        report.table(element, {
          label: 'Blocks by core',
          rows: timeline.blocks.map((values, i) => ({
            core: i,
            mean: mean(values),
            busy: mean(values.map((value) => (value > 0 ? 100 : 0))),
          })),
          columns: [
            report.column('core', 'core', {number: whole}),
            report.column('mean', 'blocks, mean', {number: report.format('.2f')}),
            report.column('busy', 'time with a block, %', {number: one}),
          ],
        }),
      controls: report.picker('Point', choices, (picked) => {
        [timeline, core] = [picked.timeline, null];
        offerCores();
        blocks.again();
        slots.again();
        warps.of(timeline);
      }),
    });
    const warps = report.warpCard(timeline);
    return h(
      'section',
      {id: 'over-time', 'data-short': 'Over time', 'aria-labelledby': 'over-time-title'},
      h('h2', {id: 'over-time-title'}, 'Cores and warps over time'),
      h(
        'p.lead',
        'Of points that were run with a time trace. A ragged right edge is a tail: the last blocks alone keep the machine busy. Rows that differ are imbalance between cores.'
      ),
      warps.element,
      blocks.element,
      slots.element
    );
  };
})();
