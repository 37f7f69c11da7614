// SPDX-License-Identifier: Apache-2.0
// A headless Chromium by its remote debugging pipe: no library is needed for the few commands of a test.
import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

export class Browser {
  static async start(program = 'chromium') {
    const browser = new Browser();
    browser.folder = mkdtempSync(path.join(tmpdir(), 'warpfold-browser-'));
    browser.process = spawn(
      program,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--no-first-run',
        '--disable-extensions',
        '--disable-background-networking',
        '--disable-component-update',
        '--hide-scrollbars',
        '--remote-debugging-pipe',
        `--user-data-dir=${browser.folder}`,
        'about:blank',
      ],
      {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']}
    );
    browser.ended = new Promise((resolve) => browser.process.on('exit', resolve));
    browser.process.on('error', (error) => browser.failAll(error));
    browser.process.on('exit', () => browser.failAll(new Error(`${program} has ended`)));
    const [to, from] = [browser.process.stdio[3], browser.process.stdio[4]];
    browser.to = to;
    let rest = Buffer.alloc(0);
    from.on('data', (piece) => {
      rest = Buffer.concat([rest, piece]);
      for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
        browser.take(JSON.parse(rest.subarray(0, end)));
    });
    return browser;
  }

  constructor() {
    this.number = 0;
    this.waiting = new Map();
    this.listeners = [];
  }

  failAll(error) {
    for (const {reject} of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  take(message) {
    if (message.id === undefined) return this.listeners.forEach((listener) => listener(message));
    const {resolve, reject} = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    return message.error ? reject(new Error(message.error.message)) : resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.number;
    this.to.write(`${JSON.stringify({id, method, params, sessionId})}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }

  async page() {
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
    const page = new Page(this, sessionId);
    this.listeners.push((message) => message.sessionId === sessionId && page.hear(message));
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await page.send(`${domain}.enable`);
    return page;
  }

  async stop() {
    await this.send('Browser.close').catch(() => this.process.kill());
    await this.ended;
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 5});
  }
}

export class Page {
  constructor(browser, session) {
    Object.assign(this, {browser, session, problems: [], requests: [], loaded: () => {}});
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  hear({method, params}) {
    if (method === 'Page.loadEventFired') this.loaded();
    if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    if (method === 'Runtime.exceptionThrown')
      this.problems.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === 'Log.entryAdded' && params.entry.level !== 'info') this.problems.push(params.entry.text);
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type))
      this.problems.push(params.args.map((one) => one.value ?? one.description).join(' '));
  }

  async open(url) {
    const loaded = new Promise((resolve) => {
      this.loaded = resolve;
    });
    await this.send('Page.navigate', {url});
    await loaded;
  }

  size(width, height = 900, mobile = false) {
    return this.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile});
  }

  media(features) {
    return this.send('Emulation.setEmulatedMedia', {
      features: Object.entries(features).map(([name, value]) => ({name, value})),
    });
  }

  // The value of an expression, which may be a promise.
  async value(expression) {
    const {result, exceptionDetails} = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }

  // What axe-core finds, by options of axe.run(): how many rules pass, and each that does not with its first places.
  async axe(libraries, options = {}) {
    await this.value(readFileSync(path.join(libraries, 'axe.min.js'), 'utf8') + ';0');
    return this.value(`axe.run(document, ${JSON.stringify(options)}).then((result) => ({
      passes: result.passes.length,
      violations: result.violations.map((one) =>
        one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')),
    }))`);
  }

  async key(name, code = name) {
    for (const type of ['keyDown', 'keyUp'])
      await this.send('Input.dispatchKeyEvent', {
        type,
        key: name,
        code,
        windowsVirtualKeyCode: {Enter: 13, Tab: 9}[name],
        text: name === 'Enter' ? '\r' : undefined,
      });
  }

  async picture(options = {}) {
    const {data} = await this.send('Page.captureScreenshot', {
      format: 'png',
      captureBeyondViewport: Boolean(options.clip),
      ...options,
    });
    return Buffer.from(data, 'base64');
  }
}
