// SPDX-License-Identifier: Apache-2.0
// What each warp of a core does over time, from a time trace's slices (tb/study/timeline.h).
(() => {
  const {report} = globalThis;
  const parts = report.chartParts;
  const whole = report.format(',d');
  const ROW = 14,
    PIXELS = 2, // of the narrowest piece that is drawn
    LEVELS = 8; // of requests under way

  // By what a slice is: its words, and its colour's place among a theme's series.
  const STATES = [
    ['full', 'issues, over half its lanes', {light: 6, dark: 7}],
    ['part', 'issues, up to half', {light: 1, dark: 1}],
    ['memory', 'waits for memory', {light: 5, dark: 5}],
    ['execution', 'waits for a result', {light: 0, dark: 0}],
    ['unit', 'stall: units busy', {light: 2, dark: 2}],
    ['fetch', 'waits for instructions', {light: 4, dark: 4}],
    ['barrier', 'waits at a barrier', {light: 3, dark: 3}],
    ['mechanism', 'waits for its mechanism', {light: 7, dark: 6}],
    ['turn', 'waits for its turn', {light: 8, dark: 8}],
  ];
  const THERE = STATES.length; // a launch or block; behind it, levels of requests
  const WORDS = [...STATES.map(([, words]) => words), 'launch or block', 'requests under way'];
  const seriesOf = (state) => Math.min(state, THERE + 1);
  const colourOf = (state, theme) =>
    state < THERE
      ? theme.palette[STATES[state][2][theme.name]]
      : state === THERE
        ? theme.muted
        : report.mix([theme.line, theme.text], (state - THERE) / LEVELS);

  report.coresWithWarps = (timeline) =>
    report.unique(timeline.rows.map((row) => row.core)).filter((core) => core !== null);
  const rowsOf = (timeline, core) => timeline.rows.filter((row) => row.core === core || row.core === null);

  // A row's slices within a window of cycles: {from, until, state, what, amount}.
  function slicesOf(timeline, row, [first, last]) {
    const found = [];
    let most = 1,
      at = 0;
    for (let i = 3; i < row.slices.length; i += 4) most = Math.max(most, row.slices[i]);
    for (let i = 0; i < row.slices.length && at < last; i += 4) {
      const [gap, cycles, what, amount] = row.slices.slice(i, i + 4);
      const from = Math.max(first, at + gap),
        until = Math.min(last, at + gap + cycles);
      at += gap + cycles;
      if (until <= from) continue;
      const [kind] = timeline.whats[what];
      const named = kind === 'issue' ? (2 * amount > timeline.lanes ? 'full' : 'part') : kind;
      const state = STATES.findIndex(([name]) => name === named);
      const level = kind === 'requests' ? Math.ceil((LEVELS * amount) / most) : 0;
      found.push({from, until, state: state < 0 ? THERE + level : state, what, amount});
    }
    return found;
  }

  // What is drawn of them: no more than `cells` pieces. Where slices are too short for that, a piece is what most of its
  // cycles are; requests are few, and stand wherever there are any.
  report.piecesOf = (timeline, row, window, cells) => {
    const slices = slicesOf(timeline, row, window),
      width = (window[1] - window[0]) / cells;
    if (width <= 1) return slices;
    const states = THERE + LEVELS + 1,
      times = new Float64Array(cells * states);
    for (const {from, until, state} of slices) {
      for (let cell = Math.floor((from - window[0]) / width); cell < cells; cell++) {
        const begin = window[0] + cell * width;
        const inside = Math.min(until, begin + width) - Math.max(from, begin);
        if (inside <= 0 && begin >= until) break;
        times[cell * states + state] += Math.max(0, inside);
      }
    }
    const pieces = [];
    for (let cell = 0; cell < cells; cell++) {
      const of = times.subarray(cell * states, (cell + 1) * states);
      const state = of.indexOf(Math.max(...of));
      const nothing = width - of.reduce((sum, time) => sum + time, 0);
      if (of[state] <= (state > THERE ? 0 : nothing)) continue;
      const [from, until] = [window[0] + cell * width, window[0] + (cell + 1) * width];
      const before = pieces.at(-1);
      if (before && before.state === state && Math.abs(before.until - from) < width / 2) before.until = until;
      else pieces.push({from, until, state});
    }
    return pieces;
  };

  // Of each row, the share of the window's cycles in each state.
  report.warpShares = (timeline, core, window) =>
    rowsOf(timeline, core).map((row) => {
      const shares = Array(THERE + 2).fill(0);
      for (const {from, until, state} of slicesOf(timeline, row, window))
        shares[seriesOf(state)] += (100 * (until - from)) / (window[1] - window[0]);
      return {row: row.name, shares};
    });

  report.wholeTime = (timeline) => [
    Math.floor(timeline.from),
    Math.ceil(timeline.slices_until ?? timeline.from + timeline.cycles * timeline.blocks[0].length),
  ];

  report.warpsOverTime = (timeline, core, window, look) => {
    const rows = rowsOf(timeline, core),
      names = rows.map((row) => row.name.replace(' slot', '')),
      left = Math.max(...names.map((name) => parts.textWidth(name))) + 12;
    const plotWidth = Math.max(look.width, 300) - left - 14;
    const pieces = rows.map((row) => report.piecesOf(timeline, row, window, Math.floor(plotWidth / PIXELS)));
    const used = WORDS.map((_, i) => pieces.some((of) => of.some(({state}) => seriesOf(state) === i)));
    const legend = WORDS.filter((_, i) => used[i]).map((name) => ({name}));
    const frame = parts.frameOf({facets: [null], chart: {}}, look, {
      least: 300,
      plot: rows.length * ROW,
      legend: legend.map(({name}) => name),
      bottom: 46,
      left,
    });
    const shares = report.warpShares(timeline, core, window).filter(({row}) => row.startsWith('warp'));
    const all = STATES.map((_, i) => shares.reduce((sum, one) => sum + one.shares[i], 0));
    const live = all.reduce((a, b) => a + b, 0) || 1;
    const told = STATES.map(([, words], i) => [words, Math.round((100 * all[i]) / live)]).filter(([, share]) => share > 0);
    const ticks = report.format(window[1] - window[0] < 20000 ? ',d' : 's');
    return {
      ...frame,
      summary: `What ${shares.length} warp slots of core ${core} do in cycles ${whole(window[0])} to ${whole(window[1])}; of the time that warps are there: ${told.map(([words, share]) => `${words} ${share} %`).join(', ')}.`,
      option: {
        ...report.baseOption(look, frame, legend),
        animation: false,
        tooltip: parts.tooltip(look, {
          trigger: 'item',
          formatter: ({data: {row, piece}}) =>
            report.tip(rows[row].name, [
              [colourOf(piece.state, look.theme), WORDS[seriesOf(piece.state)], piece.what === undefined ? 'mostly' : ''],
              [null, `cycles ${whole(piece.from)} to ${whole(piece.until)}`, ''],
              ...(piece.what === undefined
                ? []
                : [[null, timeline.whats[piece.what][1], piece.amount ? `${piece.amount}${piece.state < THERE ? ' lanes' : ''}` : '']]),
            ]),
        }),
        xAxis: {
          ...parts.valueAxis(look, ticks, [...window], false, 'cycles'),
          splitLine: {show: false},
          axisLine: {show: true, lineStyle: {color: look.theme.line}},
        },
        yAxis: {
          type: 'category',
          data: names,
          inverse: true,
          axisTick: {show: false},
          axisLine: {show: false},
          axisLabel: {...parts.axisText(look.theme), fontSize: 11, interval: 0},
        },
        series: WORDS.map((name, i) => ({
          type: 'custom',
          name,
          progressive: 0,
          itemStyle: {
            color: colourOf(i === THERE + 1 ? THERE + LEVELS : i, look.theme),
            decal: report.stackDecal(i, look.theme, look.patterns),
          },
          encode: {x: [0, 1], y: 2},
          data: pieces.flatMap((of, row) =>
            of
              .filter(({state}) => seriesOf(state) === i)
              .map((piece) => ({value: [piece.from, piece.until, row], row, piece, itemStyle: {color: colourOf(piece.state, look.theme)}}))
          ),
          renderItem: (params, api) => {
            const [x, y] = api.coord([api.value(0), api.value(2)]),
              [end] = api.coord([api.value(1), api.value(2)]);
            return {
              type: 'rect',
              shape: {x, y: y - ROW / 2 + 1, width: Math.max(0.5, end - x), height: ROW - 2},
              style: api.style(),
            };
          },
        })).filter((_, i) => used[i]),
      },
    };
  };

  // A window of cycles: closer, wider, on, by its two ends, and by a double click.
  function windowControls(card, now, choose) {
    const {h} = report;
    const ends = ['From cycle', 'to cycle'].map((label, i) => {
      const input = h('input', {
        type: 'number',
        min: 0,
        onchange: () => choose(now().map((end, k) => (k === i ? Number(input.value) : end))),
      });
      return {label: h('label', label, input), input};
    });
    const scaled = (times, centre) => {
      const [from, until] = now(),
        half = ((until - from) * times) / 2;
      choose([centre - half, centre + half]);
    };
    const moved = (share) => choose(now().map((end, _, [from, until]) => end + share * (until - from)));
    const middle = () => (now()[0] + now()[1]) / 2;
    card.plot.addEventListener('dblclick', (event) => {
      if (card.chart) scaled(0.25, card.chart.convertFromPixel({xAxisIndex: 0}, event.offsetX));
    });
    const buttons = [
      ['Closer', () => scaled(0.5, middle())],
      ['Wider', () => scaled(2, middle())],
      ['Earlier', () => moved(-0.5)],
      ['Later', () => moved(0.5)],
      ['All', () => choose([-Infinity, Infinity])],
    ].map(([word, onclick]) => h('button', {type: 'button', onclick}, word));
    return {
      element: h('div.control.window', ends.map(({label}) => label), buttons),
      show: () => ends.forEach(({input}, i) => (input.value = now()[i])),
    };
  }

  // {element, of(timeline)}: a card of the warps of one of its cores, which hides where it has none.
  report.warpCard = (first) => {
    const {h} = report;
    let timeline = first,
      core = null,
      window = null;
    const controls = h('div');
    const card = report.card({
      name: 'warps_over_time',
      title: 'What warps do over time',
      where: 'double-click for a closer look; where slices are shorter than two pixels, what most of the cycles there are',
      build: (look) => (core === null ? null : report.warpsOverTime(timeline, core, window, look)),
      csv: () =>
        report.csv(
          ['row', 'from', 'to', 'state', 'what', 'amount'],
          rowsOf(timeline, core).flatMap((row) =>
            slicesOf(timeline, row, window).map(({from, until, state, what, amount}) => [
              row.name,
              from,
              until,
              WORDS[seriesOf(state)],
              timeline.whats[what][1],
              amount,
            ])
          )
        ),
      fill: (element) =>
        report.table(element, {
          label: 'Shares of the cycles shown, per cent',
          rows: report
            .warpShares(timeline, core, window)
            .map(({row, shares}) => ({row, ...Object.fromEntries(shares.map((share, i) => [`s${i}`, share]))})),
          columns: [
            report.column('row', 'row'),
            ...WORDS.map((words, i) => report.column(`s${i}`, `${words}, %`, {number: report.format('.1f')})),
          ],
        }),
      controls,
    });
    const notes = card.element.insertBefore(h('p.notes'), card.element.querySelector('details'));
    const choose = ([from, until]) => {
      const [low, high] = report.wholeTime(timeline);
      const begin = Math.min(Math.max(low, Math.round(from === -Infinity ? low : from)), high - 1);
      window = [begin, Math.max(begin + 1, Math.min(high, Math.round(until === Infinity ? high : until)))];
      cycles.show();
      card.again();
    };
    const cycles = windowControls(card, () => window, choose);
    const of = (picked) => {
      timeline = picked;
      const cores = report.coresWithWarps(timeline);
      core = cores[0] ?? null;
      window = report.wholeTime(timeline);
      card.element.hidden = core === null;
      notes.textContent = timeline.slices_until
        ? `Slices end at cycle ${whole(timeline.slices_until)}: later ones are not in the trace, or too many for a page. To see them, run with --trace-window.`
        : '';
      notes.hidden = notes.textContent === '';
      controls.replaceChildren(
        ...[
          report.picker('Core', cores.map((one) => ({label: `core ${one}`, core: one})), (one) => {
            core = one.core;
            card.again();
          }),
          cycles.element,
        ].filter(Boolean)
      );
      cycles.show();
    };
    of(timeline);
    return {
      element: card.element,
      of: (picked) => {
        of(picked);
        card.again();
      },
    };
  };
})();
