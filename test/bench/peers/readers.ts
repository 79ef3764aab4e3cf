import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getSessionMessages } from '@anthropic-ai/claude-agent-sdk'
import { loadSessionData } from 'ccusage/data-loader'
import { z } from 'zod'
import { parseTranscript } from '../../../src/entries/index.ts'
import { heading, ratio, table, time } from '../gates.ts'
import { race } from '../measure.ts'
import { REAL_SESSION, realLines } from '../real-lines.ts'
import { earlier } from './earlier.ts'

const LINES = 3_000
const ROUNDS = 5

/** What a viewer checks of each line. */
const LINE = z.looseObject({
  type: z.enum(['user', 'assistant']),
  uuid: z.string(),
  parentUuid: z.string().nullable(),
  timestamp: z.string(),
  sessionId: z.string(),
  message: z.looseObject({
    role: z.enum(['user', 'assistant']),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
  }),
})

/** Races the readers of a stored session of Claude Code: each reads the same file from the disk. */
export async function raceReaders(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'agentfold-readers-'))
  const project = join(folder, 'projects', '-srv-demo')
  const path = join(project, `${REAL_SESSION}.jsonl`)
  await mkdir(project, { recursive: true })
  const lines = realLines(LINES)
  const messages = new Set(lines.match(/"msg_\d+"/g)).size
  await writeFile(path, `${lines}\n`)
  process.env.CLAUDE_CONFIG_DIR = folder
  const text = () => readFile(path, 'utf8')
  const readers: Record<string, () => Promise<number>> = {
    agentfold: async () => parseTranscript('claude-sdk', await text()).blocks.length,
    'Claude Agent SDK, `getSessionMessages`': async () => (await getSessionMessages(REAL_SESSION)).length,
    'zod, each line': async () => parseLines(await text()).map((line) => LINE.parse(line)).length,
    [CCUSAGE]: () => messagesCounted(folder),
    '`JSON.parse`, each line': async () => parseLines(await text()).length,
  }
  if (earlier) {
    const { name, blocksOf } = earlier
    readers[name] = async () => blocksOf(await text())
  }
  await verify(readers, messages)
  print(await race(readers, ROUNDS))
  await verify(readers, messages)
  await rm(folder, { recursive: true })
}

const CCUSAGE = 'ccusage, the tokens of the session'
/** Each message of the model of the file states as many. */
const OUTPUT_TOKENS = 98

/** Returns the number of messages whose tokens ccusage adds up. It reads no text, and prices nothing here. */
async function messagesCounted(claudePath: string): Promise<number> {
  const [session] = await loadSessionData({ claudePath, mode: 'display', offline: true })
  return (session?.outputTokens ?? 0) / OUTPUT_TOKENS
}

function parseLines(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
}

/** Each line of the file has one block, or is one message. Lines of one message of the model share its tokens. */
async function verify(
  readers: Readonly<Record<string, () => Promise<number>>>,
  messages: number,
): Promise<void> {
  for (const [name, read] of Object.entries(readers)) {
    const [found, expected] = [await read(), name === CCUSAGE ? messages : LINES]
    if (found !== expected) throw new RangeError(`${name} found ${found} of ${expected}`)
  }
}

function print(times: Readonly<Record<string, number>>): void {
  const parse = times['`JSON.parse`, each line'] ?? 1
  heading(`A stored session of ${LINES.toLocaleString('en-US')} lines, from the disk, per line`)
  table(
    ['', 'per line', '/ `JSON.parse`'],
    Object.entries(times).map(([name, ns]) => [name, time(ns / LINES), ratio(ns / parse)]),
  )
}
