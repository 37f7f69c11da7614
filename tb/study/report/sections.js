// SPDX-License-Identifier: Apache-2.0
// The charts that every report has: mean speed-ups with their verdicts, issue slots, speed-up against area.
(() => {
  const {report} = globalThis;
  const parts = report.chartParts;
  const {unique} = report;

  report.verdictMarks = {faster: '▲', slower: '▼', undecided: '◆', 'one input': '○', baseline: '–'};

  const parsed = (text) => { try { return JSON.parse(text || '{}'); } catch { return {}; } };
  // Settings in few words: core.warp_size=16.
  report.settingsText = (text, without = '{}') => {
    const apart = parsed(without);
    return Object.entries(parsed(text)).filter(([key]) => !(key in apart)).map(([key, value]) => `${key}=${value}`).join(', ');
  };

  // What a chart of its own is drawn for: a part of the study on machines with the same settings.
  const choiceOf = (row, settings) => [row.part, row.size, row.timing === 'cycle' ? '' : row.timing, report.settingsText(settings)].filter(Boolean);
  report.choices = (rows, keyOf) => {
    const found = new Map();
    for (const row of rows) {
      const words = keyOf(row), key = words.join(' · ');
      if (!found.has(key)) found.set(key, {key, rows: []});
      found.get(key).rows.push(row);
    }
    return [...found.values()];
  };
  const without = (choices, word) => {  // what all have in common need not be said
    const lists = choices.map(({key}) => key.split(' · '));
    const shared = word ? (lists[0] || []).filter((one) => lists.every((list) => list.includes(one))) : [];
    return choices.map((choice, i) => ({...choice, label: lists[i].filter((one) => !shared.includes(one)).join(' · ') || choice.key}));
  };

  report.meanChoices = (data) => without(report.choices(report.objects(data.means), (row) => [row.part, row.size].filter(Boolean)), true);
  report.areaChoices = (data) => without(report.choices(report.objects(data.means), (row) => choiceOf(row, row.settings)), true);
  report.slotChoices = (data) => without(report.choices(report.objects(data.points).filter((row) => row.base_cycles && row.schedulers),
    (row) => [...choiceOf(row, row.machine_settings), row.machine]), true);

  const nameOf = (row) => [row.variant, report.settingsText(row.settings)].filter(Boolean).join('  ');
  const MOST_MEANS = 40;

  // Speed-ups over a part's workloads, with intervals and verdicts.
  report.means = (data, choice, look) => {
    const all = choice.rows.filter((row) => !(row.variant === data.baseline && row.speedup === 1));
    const machines = unique(all.map((row) => row.machine));
    const rank = (row) => data.variants.indexOf(row.variant);
    const kept = unique([...all].sort((a, b) => rank(a) - rank(b)).map(nameOf)).slice(0, MOST_MEANS);
    const longest = Math.max(60, ...kept.map((name) => parts.textWidth(name)));
    const left = Math.min(look.width < 520 ? 116 : 250, longest + 20), right = 96;
    const model = {facets: machines, chart: {}};
    const frame = parts.frameOf(model, look, {least: left + right + 190, plot: Math.max(70, kept.length * 30), legend: [], bottom: 44, left, right});
    const extent = report.extent([1, ...all.flatMap((row) => [row.low ?? row.speedup, row.high ?? row.speedup])], {});
    const verdictInk = look.theme.name === 'light' ? {faster: '#11683f', slower: '#a8321a', undecided: '#566074'} : {faster: '#6fd39d', slower: '#ff8d73', undecided: '#a3aec1'};
    const series = [], xAxis = [], yAxis = [];
    machines.forEach((machine, f) => {
      const rows = kept.map((name) => all.find((row) => row.machine === machine && nameOf(row) === name));
      const verdictOf = (row) => (row ? `${report.verdictMarks[row.verdict] || ''} ${row.verdict || ''}` : '');
      xAxis.push({gridIndex: f, ...parts.valueAxis(look, report.format('.2~f'), extent, false, `speed-up over ${data.baseline}`)});
      yAxis.push({gridIndex: f, type: 'category', inverse: true, data: kept, axisTick: {show: false}, axisLine: {show: false},
        axisLabel: {...parts.axisText(look.theme), color: look.theme.text, width: left - 16, overflow: 'truncate', interval: 0}});
      yAxis.push({gridIndex: f, type: 'category', inverse: true, position: 'right', axisTick: {show: false}, axisLine: {show: false}, data: rows.map((row, i) => ({value: `${verdictOf(row)}${'\u200b'.repeat(i)}`,
        textStyle: {color: verdictInk[row?.verdict] || look.theme.muted}})), axisLabel: {fontFamily: look.theme.font, fontSize: 12, interval: 0}});
      series.push({type: 'custom', name: 'interval', silent: true, z: 1, xAxisIndex: f, yAxisIndex: 2 * f, encode: {x: [0, 1], y: 2}, 
        data: rows.map((row, i) => [row?.low, row?.high, i]).filter(([low, high]) => typeof low === 'number' && low !== high),
        renderItem: (params, api) => {
          const [x1, y] = api.coord([api.value(0), api.value(2)]), [x2] = api.coord([api.value(1), api.value(2)]);
          const line = (a, b, c, d) => ({type: 'line', shape: {x1: a, y1: b, x2: c, y2: d}, style: {stroke: look.theme.muted, lineWidth: 2}});
          return {type: 'group', children: [line(x1, y, x2, y), line(x1, y - 5, x1, y + 5), line(x2, y - 5, x2, y + 5)]};
        }});
      series.push({type: 'scatter', name: machine, xAxisIndex: f, yAxisIndex: 2 * f, symbolSize: 13, z: 3,
        data: rows.map((row, i) => (row ? {value: [row.speedup, i], row, symbol: look.styles.of(row.variant, data.variants, look.theme).symbol,
          itemStyle: {color: look.styles.of(row.variant, data.variants, look.theme).colour, opacity: 1, borderColor: look.theme.card, borderWidth: 1.5}} : null)).filter(Boolean), 
        markLine: {silent: true, symbol: 'none', animation: false, label: {show: false}, data: [{xAxis: 1}], lineStyle: {color: look.theme.text, type: [5, 4], width: 1.2, opacity: 0.65}}});
      series.push({type: 'scatter', name: 'verdict', xAxisIndex: f, yAxisIndex: 2 * f + 1, data: [], silent: true});
    });
    const format = report.format('.3f');
    return {...frame, left: all.length - machines.length * kept.length > 0 ? unique(all.map(nameOf)).length - kept.length : 0,
      summary: `Mean speed-ups over ${data.baseline}: ${all.slice(0, 12).map((row) => `${nameOf(row)} on ${row.machine} ${format(row.speedup)} (${row.verdict})`).join('; ')}.`,
      option: {...report.baseOption(look, frame, []), series, xAxis, yAxis,
        tooltip: parts.tooltip(look, {trigger: 'item', formatter: ({data: {row}}) => report.tip(`${nameOf(row)} · ${row.machine}`, [[null, 'speed-up', format(row.speedup)],
          ...(typeof row.low === 'number' ? [[null, '95 %', `${format(row.low)} to ${format(row.high)}`]] : []), [null, 'verdict', row.verdict, `${row.n} seeds or inputs`]])})}};
  };

  // Issue slots as time: a bar is as high as its run is long beside the baseline's, and made of what its slots went to.
  const LANES = Array.from({length: 8}, (_, i) => `issue_w${4 * i + 1}_${4 * i + 4}`);
  const WAITING = {stall: 'stall: units busy', w0_fetch: 'waits for instructions', w0_mem: 'waits for memory', w0_idle: 'idle otherwise'};
  const numeric = (value) => (typeof value === 'number' ? value : 0);

  // Quarters of the widest warp that issued: W1-8 … W25-32, or W1-4 … W13-16.
  function lanesOf(rows) {
    const wide = rows.some((row) => LANES.slice(4).some((name) => numeric(row[name]) > 0));
    const per = wide ? 2 : 1;
    return [3, 2, 1, 0].map((q) => ({name: `W${4 * per * q + 1}–${4 * per * (q + 1)}`, of: LANES.slice(per * q, per * (q + 1))}));
  }

  report.issueSlots = (data, choice, look) => {
    const lanes = lanesOf(choice.rows);
    const pieces = [...lanes.map((lane, i) => ({...lane, colour: look.theme.issue[i]})),
      ...Object.entries(WAITING).map(([of, name]) => ({name, of: [of], colour: look.theme.waiting[of]}))];
    const own = (row) => [row.variant, report.settingsText(row.settings, row.machine_settings)].filter(Boolean).join(' ');
    const workloads = unique(choice.rows.map((row) => row.workload));
    const bars = unique([...choice.rows].sort((a, b) => data.variants.indexOf(a.variant) - data.variants.indexOf(b.variant)).map(own));
    const slots = workloads.flatMap((workload) => [...bars.map((bar) => ({workload, bar})), {workload, bar: null}]).slice(0, -1);
    for (const slot of slots) {
      const rows = choice.rows.filter((row) => row.workload === slot.workload && own(row) === slot.bar);
      slot.parts = rows.length === 0 ? null : pieces.map((piece) => rows.reduce((sum, row) =>
        sum + piece.of.reduce((all, name) => all + numeric(row[name]), 0) / (row.schedulers * row.base_cycles), 0) / rows.length);
      slot.cycles = rows.length === 0 ? null : rows.reduce((sum, row) => sum + row.cycles, 0) / rows.length;
      slot.total = slot.parts?.reduce((a, b) => a + b, 0);
    }
    const used = pieces.map((_, p) => slots.some((slot) => slot.parts?.[p] > 0.0005));
    const legend = pieces.filter((_, p) => used[p]).map(({name}) => ({name}));
    const model = {facets: [null], chart: {y_title: `time, in that of ${data.baseline}`}};
    const longest = Math.max(...bars.map((bar) => parts.textWidth(bar)));
    const bottom = Math.min(110, longest) + 34;
    const frame = parts.frameOf(model, look, {least: slots.length * 15 + 70, plot: 280, legend: legend.map((l) => l.name), bottom});
    const extent = report.extent([1, ...slots.map((slot) => slot.total)], {zero: true});
    const percent = report.format('.1%');
    return {...frame, summary: `Issue slots of ${bars.length} variants on ${workloads.length} workloads, each bar as high as the run takes beside ${data.baseline}: ${
      slots.filter((slot) => slot.total).slice(0, 12).map((slot) => `${slot.workload} ${slot.bar} ${percent(slot.total)}`).join(', ')}.`,
      slots, pieces, option: {...report.baseOption(look, frame, legend),
        series: pieces.map((piece, p) => (used[p] ? {type: 'bar', stack: 'time', name: piece.name, data: slots.map((slot) => slot.parts?.[p] ?? null), barCategoryGap: '16%', barMaxWidth: 44,
          itemStyle: {color: piece.colour, borderColor: look.theme.card, borderWidth: 0.5, decal: report.stackDecal(p, look.theme, look.patterns)}, emphasis: {focus: 'series'},
          ...(p === 0 ? parts.referenceLine({reference: 1}, look.theme) : {})} : null)).filter(Boolean),
        tooltip: parts.tooltip(look, {trigger: 'axis', axisPointer: {type: 'shadow', shadowStyle: {color: look.theme.grid, opacity: 0.5}}, formatter: (items) => {
          const slot = slots[items[0].dataIndex];
          if (!slot.parts) return '';
          return report.tip(`${slot.workload} · ${slot.bar}`, [[null, 'time', percent(slot.total), `${report.format(',d')(slot.cycles)} cycles`],
            ...pieces.map((piece, p) => [piece.colour, piece.name, percent(slot.parts[p])]).filter((_, p) => used[p]).reverse()]);
        }}),
        xAxis: [{type: 'category', data: slots.map((slot) => slot.bar ?? ''), axisTick: {show: false}, axisLine: {lineStyle: {color: look.theme.line}},
          axisLabel: {...parts.axisText(look.theme), fontSize: 11, interval: 0, rotate: 90, width: 104, overflow: 'truncate'}},
          {type: 'category', position: 'bottom', offset: bottom - 32, axisTick: {show: false}, axisLine: {show: false}, data: workloads,
            axisLabel: {...parts.axisText(look.theme), color: look.theme.text, fontWeight: 600, interval: 0, width: bars.length * 15 + 20, overflow: 'truncate'}}],
        yAxis: [{...parts.valueAxis(look, report.format('.0%'), extent)}]}};
  };

  // Points that no other beats in both: less area and a higher speed-up.
  report.paretoFront = (points) => {
    const sorted = [...points].sort((a, b) => a.area - b.area || b.speedup - a.speedup);
    let best = -Infinity;
    return sorted.filter((point) => point.speedup > best && (best = point.speedup));
  };

  report.pareto = (data, choice, look) => {
    const areas = report.objects(data.area);
    const known = choice.rows.map((row) => ({...row, ...areas.find((area) => area.machine === row.machine && area.variant === row.variant)}))
      .filter((row) => typeof row.added_mm2 === 'number').map((row) => ({...row, area: row.added_mm2}));
    if (known.length === 0) return null;
    const machines = unique(known.map((row) => row.machine));
    const frame = parts.frameOf({facets: machines, chart: {y_title: `speed-up over ${data.baseline}`}}, look, {least: 300, plot: 300, legend: ['Pareto front', 'area is a lower bound'], bottom: 52});
    const xExtent = report.extent([0, ...known.map((row) => row.area)], {zero: true});
    const yExtent = report.extent([1, ...known.flatMap((row) => [row.speedup, row.low, row.high])]);
    const series = [], format = report.format('.3f');
    machines.forEach((machine, f) => {
      const mine = known.filter((row) => row.machine === machine), front = report.paretoFront(mine);
      const axes = {xAxisIndex: f, yAxisIndex: f};
      series.push({type: 'line', name: 'Pareto front', ...axes, step: 'end', symbol: 'none', silent: true, data: [...front.map((row) => [row.area, row.speedup]), [xExtent[1], front.at(-1).speedup]],
        lineStyle: {color: look.theme.muted, width: 1.6, type: [6, 4]}, itemStyle: {color: look.theme.muted}, z: 1, ...parts.referenceLine({reference: 1}, look.theme)});
      series.push({type: 'custom', name: 'interval', silent: true, z: 1, ...axes, encode: {x: 0, y: [1, 2]}, 
        data: mine.filter((row) => typeof row.low === 'number' && row.low !== row.high).map((row) => [row.area, row.low, row.high]),
        renderItem: (params, api) => {
          const [x, low] = api.coord([api.value(0), api.value(1)]);
          return parts.whisker(x, low, api.coord([api.value(0), api.value(2)])[1], 4, {text: look.theme.muted}, 1.2);
        }});
      series.push({type: 'scatter', name: 'variants', ...axes, symbolSize: 13, z: 3, labelLayout: {hideOverlap: true, moveOverlap: 'shiftY'},
        label: {show: true, formatter: ({data: {row}}) => `${row.note ? '≥ ' : ''}${row.variant}`, position: 'right', color: look.theme.text, fontFamily: look.theme.font, fontSize: 12},
        data: mine.map((row) => {
          const style = look.styles.of(row.variant, data.variants, look.theme);
          return {value: [row.area, row.speedup], row, symbol: style.symbol, label: {position: row.area > 0.7 * xExtent[1] ? 'left' : 'right'}, itemStyle: {opacity: 1, color: row.note ? look.theme.card : style.colour, borderColor: row.note ? style.colour : look.theme.card, borderWidth: row.note ? 2.5 : 1.5}};
        })});
      series.push({type: 'scatter', name: 'area is a lower bound', ...axes, data: [], silent: true, symbol: 'circle', itemStyle: {color: look.theme.card, borderColor: look.theme.muted, borderWidth: 2}});
    });
    const legend = [{name: 'Pareto front'}, ...(known.some((row) => row.note) ? [{name: 'area is a lower bound'}] : [])];
    return {...frame, points: known, summary: `Speed-up against added area: ${known.map((row) => `${row.variant} on ${row.machine} ${format(row.speedup)} for ${row.note ? 'at least ' : ''}${format(row.area)} mm²`).join('; ')}.`,
      option: {...report.baseOption(look, frame, legend), series,
        tooltip: parts.tooltip(look, {trigger: 'item', formatter: ({data: {row}}) => report.tip(`${nameOf(row)} · ${row.machine}`, [[null, 'speed-up', format(row.speedup), typeof row.low === 'number' ? `95 %: ${format(row.low)} to ${format(row.high)}` : ''],
          [null, 'added area', `${row.note ? '≥ ' : ''}${format(row.area)} mm²`, row.note]])}),
        xAxis: machines.map((_, i) => ({gridIndex: i, ...parts.valueAxis(look, report.format('.2~f'), xExtent, false, 'added area per core, mm²'), nameGap: 30})),
        yAxis: machines.map((_, i) => ({gridIndex: i, ...parts.valueAxis(look, report.format('.2~f'), yExtent)}))}};
  };

  // All that is drawn without a browser, by name.
  report.drawings = (data, look) => {
    const drawn = data.figures.map((figure) => ({name: figure.name, drawn: report.chart(figure, look)}));
    const one = (name, choices, build) => {
      if (choices.length > 0) drawn.push({name, drawn: build(data, choices[0], look)});
    };
    one('means', report.meanChoices(data), report.means);
    one('issue_slots', report.slotChoices(data), report.issueSlots);
    if (data.area.rows.length > 0) one('area', report.areaChoices(data), report.pareto);
    return drawn.filter((one) => one.drawn !== null);
  };
})();
