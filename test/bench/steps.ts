import { readFileSync } from 'node:fs'
import { type HeapProfiler, type Profiler, Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { type Architecture, parseTranscript } from '../../src/entries/index.ts'
import { heading, table } from './gates.ts'
import { parse, WORKLOADS } from './reading.ts'
import { repeated } from './repeated.ts'

const LINES = 10_000
const WARM_ROUNDS = 6
const ROUNDS = 12
/** In µs. */
const INTERVAL = 200
/** A sample stands for so many bytes. */
const SAMPLE_BYTES = 4_096

/** A session whose reading is divided into steps. */
interface Subject {
  readonly name: string
  readonly architecture: Architecture
  readonly text: string
}

/** The steps of reading, in their order, with the files whose functions do them. */
const STEPS: readonly (readonly [step: string, files: RegExp])[] = [
  ['bytes to lines', /^src\/reading\/input\/jsonl/],
  ['detection', /^src\/wires\/(detect|unproven|all|format|[^/]+\/format)\.ts|^src\/programs\//],
  ['entries', /^src\/reading\/input\/|^src\/wires\/transcript\.ts/],
  ['places and issues', /^src\/reading\/(reader|define-source)\.ts/],
  ['depth of a message', /^src\/reading\/truncate-depth\.ts|^src\/core\/json\/depth\.ts/],
  ['notes', /^src\/reading\/notes\//],
  ['look-ups', /^src\/reading\/lookups\.ts|^src\/core\/reducer\/(owned-list|search-cache|thread)\.ts/],
  ['blocks copied', /^src\/core\/reducer\/fast\.ts/],
  ['events built', /^src\/reading\/|^src\/core\/events\//],
  ['events applied', /^src\/core\//],
  ['routing', /^src\/wires\/[^/]+\/(source|threads|place|lines|routing|items?)\b/],
  ['translation', /^src\/wires\//],
]
const OTHER = 'other'
const PARSING = '`JSON.parse`'
const FREEZING = 'frozen'
const COLLECTION = 'garbage collection'

/** Prints the CPU time and the allocated bytes of each line of a session by steps. */
export async function benchSteps(): Promise<void> {
  const lineFiles = filesOfLines()
  for (const subject of subjects()) {
    heading(`${subject.name}: a line by steps`)
    const lines = subject.text.split('\n').length
    const times = await timesOf(subject, lineFiles)
    const bytes = await bytesOf(subject, lineFiles)
    const total = sumOf(times)
    const names = [...STEPS.map(([step]) => step), PARSING, FREEZING, COLLECTION, OTHER]
    const row = (name: string, time: number, size: number) => [
      name,
      (time / lines).toFixed(2),
      `${((100 * time) / total).toFixed(0)} %`,
      (size / lines).toFixed(0),
    ]
    table(
      ['step', 'µs', 'part', 'bytes'],
      [
        ...names
          .map((name) => row(name, times.get(name) ?? 0, bytes.get(name) ?? 0))
          .filter(([, time, , size]) => time !== '0.00' || size !== '0'),
        row('in all', total, sumOf(bytes)),
        row('`JSON.parse` alone', parseTime(subject.text), 0),
      ],
    )
  }
}

function subjects(): readonly Subject[] {
  const chosen = [
    'Claude Code 2.1.330, file with large results',
    'Codex, rollout',
    'OpenCode, bus with subagents',
  ]
  const known = WORKLOADS.filter(({ name }) => chosen.includes(name))
  return [
    ...known.map(({ name, architecture, textOf }) => ({ name, architecture, text: textOf(LINES) })),
    {
      name: 'Qwen Code, chat',
      architecture: 'qwen',
      text: repeated(
        readFileSync(
          'fixtures/qwen/15d-rewind-tui/store/.qwen/projects/-srv-demo/chats/ea3931c8-fd97-48c9-a920-cd2ab36f0c1a.jsonl',
          'utf8',
        ),
        'ea3931c8-fd97-48c9-a920-cd2ab36f0c1a',
        LINES,
      ),
    },
  ]
}

/** Returns the source file of each line of this program: the bundler writes its name before its code. */
function filesOfLines(): readonly string[] {
  const files: string[] = []
  let file = ''
  for (const line of readFileSync(fileURLToPath(import.meta.url), 'utf8').split('\n')) {
    const found = /^\/\/ (src\/.+|test\/.+|node_modules\/.+)$/.exec(line)
    if (found?.[1]) file = found[1]
    files.push(file)
  }
  return files
}

/** By step: the µs of one reading. Other programs may interrupt it, so the samples only divide the CPU time. */
async function timesOf(subject: Subject, files: readonly string[]): Promise<ReadonlyMap<string, number>> {
  for (let round = 0; round < WARM_ROUNDS; round += 1) read(subject)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL })
  const start = process.cpuUsage()
  await session.post('Profiler.start')
  for (let round = 0; round < ROUNDS; round += 1) read(subject)
  const { user, system } = process.cpuUsage(start)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return stepsOf(profile, files, (user + system) / ROUNDS)
}

function stepsOf(
  { nodes, samples = [] }: Profiler.Profile,
  files: readonly string[],
  time: number,
): ReadonlyMap<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const counts = new Map<number, number>()
  for (const id of samples) counts.set(id, (counts.get(id) ?? 0) + 1)
  const steps = new Map<string, number>()
  const visit = (id: number, above: string) => {
    const node = byId.get(id)
    if (!node) return
    const step = stepOf(node.callFrame, above, files)
    steps.set(step, (steps.get(step) ?? 0) + (time * (counts.get(id) ?? 0)) / samples.length)
    for (const child of node.children ?? []) visit(child, step)
  }
  const [root] = nodes
  if (root) visit(root.id, OTHER)
  return steps
}

/** By step: the bytes that one reading allocates. */
async function bytesOf(subject: Subject, files: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.enable')
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: SAMPLE_BYTES,
    ...{ includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true },
  })
  read(subject)
  const { profile } = await session.post('HeapProfiler.stopSampling')
  session.disconnect()
  const steps = new Map<string, number>()
  const visit = ({ callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode, above: string) => {
    const step = stepOf(callFrame, above, files)
    steps.set(step, (steps.get(step) ?? 0) + selfSize)
    for (const child of children) visit(child, step)
  }
  visit(profile.head, OTHER)
  return steps
}

/** A function of V8, or one that several steps use, belongs to the step of its caller. */
function stepOf(
  { functionName, url, lineNumber }: { functionName: string; url: string; lineNumber: number },
  above: string,
  files: readonly string[],
): string {
  if (functionName === '(garbage collector)') return COLLECTION
  if (functionName === 'freeze') return FREEZING
  if (functionName === 'parse' || functionName === 'parseJson') return PARSING
  if (url === '') return above
  const file = files[lineNumber] ?? ''
  if (/^src\/core\/json\/(fields|lists|values|equal)/.test(file)) return above
  return STEPS.find(([, pattern]) => pattern.test(file))?.[0] ?? above
}

function read({ architecture, text }: Subject): void {
  parseTranscript(architecture, text)
}

/** In µs. */
function parseTime(text: string): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.cpuUsage()
    parse(text)
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, user + system)
  }
  return best
}

function sumOf(steps: ReadonlyMap<string, number>): number {
  return [...steps.values()].reduce((sum, each) => sum + each, 0)
}
