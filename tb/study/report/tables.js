// SPDX-License-Identifier: Apache-2.0
// Tables that sort and filter, also by keyboard, and the one of all points.
(() => {
  const {report} = globalThis;
  const {escape} = report;

  // A value of a study may be text that looks like markup.
  const asText = (cell) => escape(cell.getValue() ?? '–');
  const asNumber = (format) => (cell) =>
    cell.getValue() === null || cell.getValue() === undefined ? '–' : escape(format(cell.getValue()));

  // Of names and of numbers; what has none comes last, whichever way the rest goes.
  const sorter = (a, b, rowA, rowB, column, direction) => {
    const none = (value) => value === null || value === undefined || value === '';
    if (none(a) || none(b)) return none(a) && none(b) ? 0 : (none(a) ? 1 : -1) * (direction === 'asc' ? 1 : -1);
    return typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), 'en', {numeric: true});
  };

  report.column = (field, title, more = {}) => {
    const {number, ...rest} = more;
    return {
      field,
      title: escape(title),
      sorter,
      headerSortTristate: true,
      hozAlign: number ? 'right' : 'left',
      headerHozAlign: number ? 'right' : 'left',
      formatter: number ? asNumber(number) : asText,
      ...rest,
    };
  };

  report.table = (element, {columns, rows, label, ...more}) => {
    const table = new Tabulator(element, {
      data: rows,
      columns,
      layout: 'fitDataFill',
      placeholder: 'Nothing matches',
      columnHeaderSortMulti: false,
      printAsHtml: true,
      printStyled: false,
      printRowRange: 'active',
      ...(rows.length > 14 ? {height: 460} : {}),
      ...more,
    });
    table.on('tableBuilt', () => {
      element.setAttribute('aria-label', label);
      // The rows' group is what scrolls, and so what the keyboard reaches.
      element.removeAttribute('aria-owns');
      element.querySelector('.tabulator-tableholder').setAttribute('role', 'rowgroup');
      element.querySelector('.tabulator-table').removeAttribute('role');
      for (const header of element.querySelectorAll('.tabulator-col.tabulator-sortable')) {
        header.tabIndex = 0;
        header.addEventListener('keydown', (event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          const field = header.getAttribute('tabulator-field'),
            down = header.getAttribute('aria-sort') === 'ascending';
          table.setSort(field, down ? 'desc' : 'asc');
        });
      }
    });
    return table;
  };

  // The table of a figure: its view's rows, with the paper's value beside ours.
  report.figureTable = (element, figure) => {
    const chart = figure.chart || {},
      printed = figure.printed || [];
    const own = report.format(chart.format),
      general = report.format();
    const keys = figure.columns.filter((name) =>
      printed.some((row) => name in row && name !== 'value' && name !== 'where')
    );
    const matches = (row, paper) => keys.every((name) => !(name in paper) || String(paper[name]) === String(row[name]));
    const rows = report.objects(figure),
      used = new Set();
    for (const row of rows) {
      const paper = printed.find((one) => matches(row, one));
      if (!paper) continue;
      used.add(paper);
      [row['paper value'], row['paper where']] = [paper.value ?? null, paper.where ?? ''];
    }
    for (const paper of printed.filter((one) => !used.has(one)))
      // of what this study does not run
      rows.push({
        ...Object.fromEntries(keys.map((name) => [name, paper[name]])),
        'paper value': paper.value ?? null,
        'paper where': paper.where ?? '',
      });
    const measured = new Set([chart.y, chart.low, chart.high, chart.value]);
    const columns = figure.columns.map((name) => {
      const number =
        rows.some((row) => typeof row[name] === 'number') && rows.every((row) => typeof row[name] !== 'string');
      return report.column(name, name.replaceAll('_', ' '), number ? {number: measured.has(name) ? own : general} : {});
    });
    if (printed.length)
      columns.push(
        report.column('paper value', 'paper', {number: own}),
        report.column('paper where', 'where in the paper')
      );
    return report.table(element, {columns, rows, label: `${figure.title}, table`});
  };

  const FILES = [
    ['config.effective.yaml', 'config'],
    ['stats.json', 'stats'],
    ['launches.csv', 'launches'],
    ['run.json', 'run'],
    ['program.out', 'output'],
  ];
  const VERDICTS = {faster: 'good', slower: 'bad', undecided: '', 'one input': 'warn', baseline: 'accent'};
  const STATES = {ok: 'good', missing: 'warn', 'n/a': ''};
  report.stateClass = (state) => STATES[state] ?? 'bad';
  report.chip = (text, kind, title) =>
    `<span class="chip ${kind || ''}"${title ? ` title="${escape(title)}"` : ''}>${escape(text)}</span>`;
  report.verdictChip = (verdict) =>
    verdict ? report.chip(`${report.verdictMarks[verdict] || ''} ${verdict}`, VERDICTS[verdict]) : '–';

  // "tail: fewer than half …": a word for the row, the rest for who asks.
  report.cautionChip = (text) => (text ? report.chip(text.split(':')[0], 'warn', text) : '–');

  report.pointRows = (data) =>
    report.objects(data.points).map((row) => ({
      ...row,
      set: report.settingsText(row.settings),
      dram_mb: typeof row.dram_bytes === 'number' ? row.dram_bytes / 1e6 : null,
    }));

  report.pointTable = (element, data, rows) => {
    const two = report.format('.2f'),
      three = report.format('.3f'),
      whole = report.format(',d'),
      percent = report.format('.1%');
    const some = (field) => rows.some((row) => row[field] !== null && row[field] !== undefined && row[field] !== '');
    const columns = [
      report.column('number', '#', {number: whole}),
      report.column('workload', 'workload'),
      report.column('variant', 'variant'),
      report.column('machine', 'machine'),
      report.column('speedup', 'speed-up', {number: three}),
      report.column('verdict', 'verdict', {formatter: (cell) => report.verdictChip(cell.getValue())}),
      report.column('low', '95 % from', {number: three}),
      report.column('high', 'to', {number: three}),
      report.column('caution', 'caution', {formatter: (cell) => report.cautionChip(cell.getValue())}),
      report.column('state', 'state', {
        formatter: (cell) => report.chip(cell.getValue(), report.stateClass(cell.getValue())),
      }),
      report.column('cycles', 'cycles', {number: whole}),
      report.column('ipc', 'IPC', {number: two}),
      report.column('simd_efficiency', 'SIMD eff.', {number: percent}),
      report.column('l1d_hit_rate', 'L1 hits', {number: percent}),
      report.column('l2_hit_rate', 'L2 hits', {number: percent}),
      report.column('dram_mb', 'DRAM MB', {number: two}),
      report.column('part', 'part'),
      report.column('set', 'settings'),
      report.column('input', 'input'),
      report.column('size', 'size'),
      report.column('seed', 'seed', {number: whole}),
      report.column('timing', 'timing'),
      report.column('reason', 'reason', {maxWidth: 420, tooltip: true}),
      {
        title: 'files',
        field: 'directory',
        headerSort: false,
        formatter: (cell) => {
          const directory = cell.getValue();
          if (!directory) return '–';
          const about = escape(`point ${cell.getRow().getData().number}`);
          return `<span class="links">${FILES.map(([file, word]) => `<a href="${escape(encodeURI(`${data.links}${directory}/${file}`))}" aria-label="${word} of ${about}">${word}</a>`).join('')}</span>`;
        },
      },
    ].filter((column) => column.field === 'directory' || some(column.field));
    return report.table(element, {
      columns,
      rows,
      label: 'All points',
      printAsHtml: false, // the page leaves it out on paper
      rowFormatter: (row) => {
        const {state, caution} = row.getData();
        row.getElement().classList.toggle('cautious', Boolean(caution));
        row.getElement().classList.toggle('failed', !['ok', 'n/a', 'missing'].includes(state));
      },
    });
  };
})();
