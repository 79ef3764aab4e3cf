import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { parseTranscript } from '../../../src/entries/index.ts'
import { launchChromium } from '../../page/chromium.ts'
import { REAL_SESSION, realLines } from '../real-lines.ts'

/**
 * `npm run bench:page -- [earlier]` opens a session of 5,600 blocks in the page of `agentfold serve`, in that of an earlier version by its
 * `dist/cli.js`, and as a document that has all of its texts. Each has a new browser. It prints the best of five rounds, in turns.
 */
const BLOCKS = 5600
const ROUNDS = 5

const folder = mkdtempSync(join(tmpdir(), 'agentfold-page-'))
const file = join(folder, `${REAL_SESSION}.jsonl`)
const FIRST = 'the first words of the session'
const LAST = 'the last words of the session'
const all = realLines(BLOCKS - 1).split('\n')
const second = all[1]?.replace('Look into the reducer', FIRST) ?? ''
const lines = [all[0], second, ...all.slice(2), withPrompt(LAST, all.length)].join('\n')
const state = parseTranscript(lines)
writeFileSync(file, lines)
const bare = join(folder, 'bare.html')
writeFileSync(
  bare,
  `<!doctype html><main>${state.blocks.map((block) => `<pre data-block>${JSON.stringify(block).replaceAll('<', '&lt;')}</pre>`).join('\n')}</main>`,
)

const [earlier] = process.argv.slice(2)
const pages: [name: string, address: () => Promise<Served>][] = [
  ['agentfold serve', () => serve('dist/cli.js')],
  ...(earlier ? [['earlier', () => serve(earlier)] as [string, () => Promise<Served>]] : []),
  ['all texts in one document', async () => ({ url: `file://${bare}`, stop: () => {} })],
]
const rounds = new Map(pages.map(([name]) => [name, [] as Figures[]]))
for (let round = 0; round < ROUNDS; round += 1)
  for (const [name, open] of pages) rounds.get(name)?.push(await figuresOf(await open()))
rmSync(folder, { recursive: true })

process.stdout.write(`${state.blocks.length} blocks, a load of ${loadavg()[0]?.toFixed(0)}\n\n`)
process.stdout.write('|  | first shown | main thread until then | memory | elements | to the other end |\n')
process.stdout.write('| --- | --- | --- | --- | --- | --- |\n')
for (const [name, figures] of rounds) {
  const best = (key: keyof Figures) => Math.min(...figures.map((each) => each[key]))
  process.stdout.write(
    `| ${name} | ${best('shownMs').toFixed(0)} ms | ${best('busyMs').toFixed(0)} ms | ${(best('heap') / 1e6).toFixed(1)} MB | ${best('elements')} | ${best('jumpMs').toFixed(0)} ms |\n`,
  )
}

interface Served {
  readonly url: string
  readonly stop: () => void
}

interface Figures {
  /** The time from the request of the page until the first or the last words are in it, in ms. */
  readonly shownMs: number
  /** The time for which the page kept its thread busy until then, in ms. */
  readonly busyMs: number
  /** The kept memory of JavaScript, in bytes. */
  readonly heap: number
  readonly elements: number
  /** The time of a jump to the other end and its first frame, once the rows of both have been there, in ms. */
  readonly jumpMs: number
}

async function serve(cli: string): Promise<Served> {
  const server = spawn(process.execPath, [cli, 'serve', file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const piece of server.stdout.setEncoding('utf8')) {
    output += piece
    const url = /http:\/\/\S+/.exec(output)?.[0]
    if (url) return { url, stop: () => void server.kill() }
  }
  throw new Error(`${cli} printed no address: ${output}`)
}

async function figuresOf({ url, stop }: Served): Promise<Figures> {
  const browser = await launchChromium()
  try {
    return await measured(browser, url)
  } finally {
    await browser.close()
    stop()
  }
}

async function measured(browser: Browser, url: string): Promise<Figures> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable')
  const start = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await shown(page)
  const shownMs = performance.now() - start
  const busyMs = (await metric(cdp, 'TaskDuration')) * 1000
  await cdp.send('HeapProfiler.collectGarbage')
  const heap = await metric(cdp, 'JSHeapUsedSize')
  const elements = await page.evaluate(() => document.querySelectorAll('*').length)
  await jump(page, FIRST)
  await jump(page, LAST)
  const begin = performance.now()
  await jump(page, FIRST)
  await jump(page, LAST)
  return { shownMs, busyMs, heap, elements, jumpMs: (performance.now() - begin) / 2 }
}

/** Scrolls to the end of the session that has the text, until it is in the view. */
async function jump(page: Page, text: string): Promise<void> {
  await page.evaluate(
    ({ text, isEnd }) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          window.scrollTo(0, isEnd ? document.documentElement.scrollHeight : 0)
          const rows = [...document.querySelectorAll('[data-block]')]
          const row = rows.find((each) => each.textContent.includes(text))
          const { top = -1 } = row?.getBoundingClientRect() ?? {}
          if (top >= 0 && top < window.innerHeight) requestAnimationFrame(() => resolve())
          else requestAnimationFrame(look)
        }
        look()
      }),
    { text, isEnd: text === LAST },
  )
}

/** Resolves when one of the ends is in the page: a session that runs opens at its end. */
async function shown(page: Page): Promise<void> {
  await page.waitForFunction(
    (texts) => {
      const rows = [...document.querySelectorAll('[data-block]')]
      return texts.some((text) => rows.some((row) => row.textContent.includes(text)))
    },
    [FIRST, LAST],
  )
}

async function metric(cdp: CDPSession, name: string): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find((each) => each.name === name)?.value ?? Number.NaN
}

/** Returns the first line of the session with another prompt, as the last one. */
function withPrompt(prompt: string, at: number): string {
  const [uuid, parentUuid] = [at, at - 1].map(
    (each) => `00000000-0000-4000-8000-${String(each).padStart(12, '0')}`,
  )
  const timestamp = new Date(at * 1_000).toISOString()
  const message = { role: 'user', content: prompt }
  return JSON.stringify({ ...JSON.parse(all[0] ?? ''), uuid, parentUuid, timestamp, message })
}
