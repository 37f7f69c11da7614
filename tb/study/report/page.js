// SPDX-License-Identifier: Apache-2.0
// The page: cards of charts with their tables, the switches, and what is drawn when it comes into view.
(() => {
  const {report} = globalThis;

  // h('p.lead', {id}, 'text', element): elements, whose text is never markup.
  const h = (report.h = (what, ...rest) => {
    const [tag, ...classes] = what.split('.');
    const element = document.createElement(tag);
    if (classes.length) element.className = classes.join(' ');
    for (const one of rest.flat(Infinity)) {
      if (one === null || one === undefined || one === false) continue;
      if (one instanceof Node || typeof one !== 'object') element.append(one);
      else
        for (const [name, value] of Object.entries(one)) {
          if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
          else if (value !== null && value !== undefined && value !== false)
            element.setAttribute(name, value === true ? '' : value);
        }
    }
    return element;
  });

  const remembered = {
    get(name) {
      try {
        return localStorage.getItem(`warpfold-${name}`);
      } catch {
        return null;
      }
    },
    set(name, value) {
      try {
        localStorage.setItem(`warpfold-${name}`, value);
      } catch {
        /* a page from disk may not */
      }
    },
  };
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const state = {
    theme: remembered.get('theme') || 'auto',
    patterns: remembered.get('patterns') === 'on' || matchMedia('(prefers-contrast: more)').matches,
    printing: false,
  };
  const themeName = () =>
    state.printing ? 'light' : state.theme === 'auto' ? (dark.matches ? 'dark' : 'light') : state.theme;

  const data = (report.data = JSON.parse(document.getElementById('data').textContent));
  report.common = report.settingsInCommon(data);
  const styles = report.stylesOf(data);
  const look = (width) => ({
    theme: report.themes[themeName()],
    styles,
    patterns: state.patterns,
    width,
    still: state.printing || matchMedia('(prefers-reduced-motion: reduce)').matches,
  });

  const cards = (report.cards = []);
  const save = (name, url) => h('a', {href: url, download: name}).click();
  const saveText = (name, text, type) => {
    const url = URL.createObjectURL(new Blob([text], {type}));
    save(name, url);
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };

  // A figure alone, as it looks now.
  function svgOf(card) {
    const drawn = card.build(look(card.drawn.width));
    const chart = echarts.init(null, null, {renderer: 'svg', ssr: true, width: drawn.width, height: drawn.height});
    chart.setOption({...drawn.option, animation: false, backgroundColor: report.themes[themeName()].card});
    const svg = chart.renderToSVGString();
    chart.dispose();
    return svg;
  }
  function savePng(card) {
    const image = new Image(),
      {width, height} = card.drawn;
    image.onload = () => {
      const canvas = h('canvas', {width: 2 * width, height: 2 * height});
      canvas.getContext('2d').drawImage(image, 0, 0, 2 * width, 2 * height);
      save(`${card.name}.png`, canvas.toDataURL('image/png'));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(card))}`;
  }
  const csvCell = (value) =>
    /[",\n]/.test(value ?? '') ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? '');
  report.csv = (columns, rows) => [columns, ...rows].map((row) => row.map(csvCell).join(',')).join('\n') + '\n';

  // What has room in a card on A4 and on US letter. Charts are drawn somewhat smaller there, so that two fit on a page.
  const PAPER = {width: 660, height: 720};
  const shrink = (drawn) => Math.min(1, PAPER.width / drawn.width, PAPER.height / drawn.height);
  const forPaper = (card) =>
    [1.2, 1.6, 2, 2.4]
      .map((times) => card.build(look(PAPER.width * times)))
      .reduce((best, drawn) => (drawn && shrink(drawn) > shrink(best) ? drawn : best));

  function draw(card) {
    const {box, plot} = card;
    card.drawn = state.printing ? forPaper(card) : card.build(look(Math.max(240, box.clientWidth)));
    plot.style.zoom = state.printing && card.drawn ? shrink(card.drawn) : '';
    card.chart?.dispose();
    card.chart = null;
    plot.replaceChildren();
    if (!card.drawn) {
      plot.style.cssText = '';
      plot.removeAttribute('role');
      plot.removeAttribute('aria-label');
      plot.append(h('p.none', 'No results yet.'));
      return;
    }
    plot.style.width = `${card.drawn.width}px`;
    plot.style.height = `${card.drawn.height}px`;
    card.chart = echarts.init(plot, null, {renderer: 'svg', width: card.drawn.width, height: card.drawn.height});
    card.chart.setOption(card.drawn.option);
    plot.setAttribute('role', 'img');
    plot.setAttribute('aria-label', card.drawn.summary);
    const scrolls = card.drawn.width > box.clientWidth + 1;
    for (const [name, value] of Object.entries({
      tabindex: '0',
      role: 'region',
      'aria-label': `${card.title}, wider than the page`,
    })) {
      if (scrolls) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }
  const seen = new IntersectionObserver(
    (entries) => {
      for (const {isIntersecting, target} of entries) {
        const card = cards.find((one) => one.box === target);
        if (isIntersecting && !card.chart) draw(card);
      }
    },
    {rootMargin: '500px'}
  );
  report.drawAll = () => cards.forEach((card) => card.chart || draw(card));
  const redraw = () =>
    cards.forEach((card) => {
      if (card.chart) draw(card);
    });

  // A choice among several drawings of one card.
  report.picker = (label, choices, pick) => {
    if (choices.length < 2) return null;
    return h(
      'div.control',
      h(
        'label',
        label,
        h(
          'select',
          {onchange: (event) => pick(choices[Number(event.target.value)])},
          choices.map((choice, i) => h('option', {value: i}, choice.label))
        )
      )
    );
  };

  // {name, title, where, notes, build, fill: the table's, csv, controls}
  report.card = ({name, title, where, notes, build, fill, csv, controls, level = 'h3'}) => {
    const plot = h('div.plot'),
      box = h('div.plot-scroll', plot),
      card = {name, title, build, box, plot, chart: null, drawn: null};
    const tools = h(
      'div.tools',
      build && [
        h(
          'button',
          {
            type: 'button',
            'aria-label': `Save ${title} as SVG`,
            onclick: () => saveText(`${name}.svg`, svgOf(card), 'image/svg+xml'),
          },
          'SVG'
        ),
        h('button', {type: 'button', 'aria-label': `Save ${title} as PNG`, onclick: () => savePng(card)}, 'PNG'),
      ],
      csv &&
        h(
          'button',
          {
            type: 'button',
            'aria-label': `Save the values of ${title} as CSV`,
            onclick: () => saveText(`${name}.csv`, csv(), 'text/csv'),
          },
          'CSV'
        )
    );
    const holder = h('div'),
      alone = !build;
    const details =
      fill && h('details.data', {open: alone}, h('summary', {}, `Table${alone ? '' : ' of these values'}`), holder);
    if (details) {
      const once = () => {
        if (!details.open || card.table) return;
        card.table = fill(holder.appendChild(h('div')));
      };
      details.addEventListener('toggle', once);
      card.openTable = () => {
        details.open = true;
        once();
      };
      card.refill = () => {
        card.table?.destroy();
        card.table = null;
        holder.replaceChildren();
        once();
      };
    }
    card.element = h(
      'article.card',
      {id: `figure-${name}`, 'data-name': name},
      h('div.card-head', h('div', h(level, title), where && h('p.where', where)), tools),
      controls,
      build && box,
      notes && h('p.notes', notes),
      details
    );
    if (build) {
      cards.push(card);
      seen.observe(box);
      const {height} = build(look(900)) || {height: 40};
      plot.style.minHeight = `${Math.min(height, 700)}px`;
    }
    card.again = () => {
      plot.style.minHeight = '';
      draw(card);
      card.refill?.();
    };
    return card;
  };

  function apply() {
    document.documentElement.dataset.theme = themeName();
    redraw();
  }
  function switches() {
    const themes = h(
      'fieldset.segments',
      h('legend.sr-only', 'Colours'),
      [
        ['auto', 'Auto'],
        ['light', 'Light'],
        ['dark', 'Dark'],
      ].map(([value, word]) =>
        h(
          'label',
          h('input', {
            type: 'radio',
            name: 'theme',
            value,
            checked: state.theme === value,
            onchange: () => {
              state.theme = value;
              remembered.set('theme', value);
              apply();
            },
          }),
          h('span', word)
        )
      )
    );
    const patterns = h(
      'button',
      {
        type: 'button',
        'aria-pressed': String(state.patterns),
        title: 'Patterns besides colours',
        onclick: () => {
          state.patterns = !state.patterns;
          patterns.setAttribute('aria-pressed', String(state.patterns));
          remembered.set('patterns', state.patterns ? 'on' : 'off');
          redraw();
        },
      },
      'Patterns'
    );
    document.getElementById('switches').append(patterns, themes);
  }

  function contents() {
    const list = document.getElementById('toc'),
      links = [];
    for (const section of document.querySelectorAll('main > section')) {
      const add = (id, text, sub) => {
        const link = h('a', {href: `#${id}`}, text);
        if (!sub) links.push([section, link]);
        list.append(h(sub ? 'li.sub' : 'li', link));
      };
      add(section.id, section.dataset.short);
      if (section.id === 'figures')
        section.querySelectorAll('.card').forEach((card) => add(card.id, card.querySelector('h3').textContent, true));
    }
    const mark = () => {
      const current = links.filter(([section]) => section.getBoundingClientRect().top < 180).at(-1) || links[0];
      if (current?.[1].hasAttribute('aria-current')) return;
      for (const [, link] of links) link.removeAttribute('aria-current');
      current?.[1].setAttribute('aria-current', 'true');
      const bar = list.parentElement,
        {offsetLeft, offsetWidth} = current?.[1] || list;
      if (bar.scrollWidth > bar.clientWidth) bar.scrollLeft = offsetLeft - (bar.clientWidth - offsetWidth) / 2;
    };
    addEventListener('scroll', mark, {passive: true});
    mark();
  }

  report.start = () => {
    document.documentElement.dataset.theme = themeName();
    document.getElementById('study-name').textContent = data.name;
    switches();
    if (data.watch) {
      document.getElementById('main').append(h('p.watch', data.watch.line));
      if (data.watch.reload > 0) setTimeout(() => location.reload(), 1000 * data.watch.reload);
    }
    document.getElementById('main').append(...report.sections(data).filter(Boolean));
    contents();
    dark.addEventListener('change', apply);
    let width = innerWidth,
      waiting;
    addEventListener('resize', () => {
      if (innerWidth === width) return;
      width = innerWidth;
      clearTimeout(waiting);
      waiting = setTimeout(redraw, 120);
    });
    for (const [event, printing] of [
      ['beforeprint', true],
      ['afterprint', false],
    ])
      addEventListener(event, () => {
        state.printing = printing;
        document.documentElement.dataset.theme = themeName();
        cards.forEach(draw);
      });
  };
})();
