// SPDX-License-Identifier: Apache-2.0
// What the issue slots go to.
(() => {
  const {report} = globalThis;
  const parts = report.chartParts;
  const {unique} = report;

  // Issue slots as time: a bar is as high as its run is long beside the baseline's, and made of what its slots went to.
  const LANES = Array.from({length: 8}, (_, i) => `issue_w${4 * i + 1}_${4 * i + 4}`);
  const WAITING = {
    stall: 'stall: units busy',
    w0_fetch: 'waits for instructions',
    w0_mem: 'waits for memory',
    w0_idle: 'idle otherwise',
  };
  const numeric = (value) => (typeof value === 'number' ? value : 0);

  // By quarters of a warp, however wide: the statistics count eighths, and have their names from a warp of 32.
  const QUARTERS = [3, 2, 1, 0].map((q) => ({name: `W${q + 1}/4`, of: LANES.slice(2 * q, 2 * q + 2)}));

  report.issueSlots = (data, choice, look) => {
    const pieces = [
      ...QUARTERS.map((lane, i) => ({...lane, colour: look.theme.issue[i]})),
      ...Object.entries(WAITING).map(([of, name]) => ({name, of: [of], colour: look.theme.waiting[of]})),
    ];
    const own = (row) =>
      [row.variant, report.settingsText(row.settings, row.machine_settings)].filter(Boolean).join(' ');
    const workloads = unique(choice.rows.map((row) => row.workload));
    const bars = unique(
      [...choice.rows].sort((a, b) => data.variants.indexOf(a.variant) - data.variants.indexOf(b.variant)).map(own)
    );
    const slots = workloads
      .flatMap((workload) => [...bars.map((bar) => ({workload, bar})), {workload, bar: null}])
      .slice(0, -1);
    for (const slot of slots) {
      const rows = choice.rows.filter((row) => row.workload === slot.workload && own(row) === slot.bar);
      slot.parts =
        rows.length === 0
          ? null
          : pieces.map(
              (piece) =>
                rows.reduce(
                  (sum, row) =>
                    sum +
                    piece.of.reduce((all, name) => all + numeric(row[name]), 0) / (row.schedulers * row.base_cycles),
                  0
                ) / rows.length
            );
      slot.cycles = rows.length === 0 ? null : rows.reduce((sum, row) => sum + row.cycles, 0) / rows.length;
      slot.total = slot.parts?.reduce((a, b) => a + b, 0);
    }
    const used = pieces.map((_, p) => slots.some((slot) => slot.parts?.[p] > 0.0005));
    const legend = pieces.filter((_, p) => used[p]).map(({name}) => ({name}));
    const model = {facets: [null], chart: {y_title: `time relative to ${data.baseline}`}};
    const longest = Math.max(...bars.map((bar) => parts.textWidth(bar)));
    const bottom = Math.min(110, longest) + 34;
    const frame = parts.frameOf(model, look, {
      least: slots.length * 15 + 70,
      plot: 280,
      legend: legend.map((l) => l.name),
      bottom,
    });
    const extent = report.extent([1, ...slots.map((slot) => slot.total)], {zero: true});
    const percent = report.format('.1%');
    return {
      ...frame,
      summary: `Issue slots of ${bars.length} variants on ${workloads.length} workloads, each bar as high as the run takes beside ${data.baseline}: ${slots
        .filter((slot) => slot.total)
        .slice(0, 12)
        .map((slot) => `${slot.workload} ${slot.bar} ${percent(slot.total)}`)
        .join(', ')}.`,
      slots,
      pieces,
      option: {
        ...report.baseOption(look, frame, legend),
        series: pieces
          .map((piece, p) =>
            used[p]
              ? {
                  type: 'bar',
                  stack: 'time',
                  name: piece.name,
                  data: slots.map((slot) => slot.parts?.[p] ?? null),
                  barCategoryGap: '16%',
                  barMaxWidth: 44,
                  itemStyle: {
                    color: piece.colour,
                    borderColor: look.theme.card,
                    borderWidth: 0.5,
                    decal: report.stackDecal(p, look.theme, look.patterns),
                  },
                  ...(p === 0 ? parts.referenceLine({reference: 1}, look.theme) : {}),
                }
              : null
          )
          .filter(Boolean),
        tooltip: parts.tooltip(look, {
          trigger: 'axis',
          axisPointer: {type: 'shadow', shadowStyle: {color: look.theme.grid, opacity: 0.5}},
          formatter: (items) => {
            const slot = slots[items[0].dataIndex];
            if (!slot.parts) return '';
            return report.tip(`${slot.workload} · ${slot.bar}`, [
              [null, 'time', percent(slot.total), `${report.format(',d')(slot.cycles)} cycles`],
              ...pieces
                .map((piece, p) => [piece.colour, piece.name, percent(slot.parts[p])])
                .filter((_, p) => used[p])
                .reverse(),
            ]);
          },
        }),
        xAxis: [
          {
            type: 'category',
            data: slots.map((slot) => slot.bar ?? ''),
            axisTick: {show: false},
            axisLine: {lineStyle: {color: look.theme.line}},
            axisLabel: {
              ...parts.axisText(look.theme),
              fontSize: 11,
              interval: 0,
              rotate: 90,
              width: 104,
              overflow: 'truncate',
            },
          },
          {
            type: 'category',
            position: 'bottom',
            offset: bottom - 32,
            axisTick: {show: false},
            axisLine: {show: false},
            data: workloads,
            axisLabel: {
              ...parts.axisText(look.theme),
              color: look.theme.text,
              fontWeight: 600,
              interval: 0,
              width: bars.length * 15 + 20,
              overflow: 'truncate',
            },
          },
        ],
        yAxis: [{...parts.valueAxis(look, report.format('.0%'), extent)}],
      },
    };
  };
})();
