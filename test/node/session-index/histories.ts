import { existsSync, statSync, writeFileSync } from 'node:fs'
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import {
  assistantMessage,
  modelAnswers,
  toolResult,
  toolUse,
  toText,
  userMessage,
} from '../../wires/claude/messages.ts'
import { inputs } from './small-files.ts'

/** A step of a history: an operation on a file that exists then, with two numbers that decide its details. */
export interface Step {
  readonly operation: (typeof OPERATIONS)[number]
  readonly file: number
  readonly detail: number
}

/** These let a session grow, also in the format of another program. */
const GROWTH = [
  ...(['write', 'append', 'append', 'foreign', 'foreign', 'ask', 'ask', 'ask', 'agent', 'half'] as const),
]

const OPERATIONS = [
  ...(['write', 'write', 'append', 'append', 'append', 'half', 'rewrite', 'same-size', 'truncate'] as const),
  ...([
    'rename',
    'delete',
    'touch',
    'agent',
    'agent',
    'foreign',
    'codex-child',
    'ask',
    'ask',
    'reopen',
  ] as const),
  ...(['damage', 'cut-index', 'remove-index', 'killed', 'second'] as const),
]

export const histories: fc.Arbitrary<readonly Step[]> = fc.oneof(stepsOf(OPERATIONS, 99), stepsOf(GROWTH, 1))

/** Histories that once gave a wrong answer. In two, the name of a file and its content are of two programs, and an agent's file follows. */
export const foundHistories: readonly (readonly Step[])[] = [
  'write 0 0,foreign 0 485,half 0 351,ask 0 0,append 0 0,append 0 0,foreign 1 8,write 0 6',
  'write 0 0,foreign 1 434,write 0 0,foreign 0 701',
  // A session changed before its end, and grew, between two readings.
  'write 0 0,ask 0 0,same-size 0 0,append 0 0,write 0 16,second 0 0,same-size 0 0,write 0 1,append 0 0',
].map((steps) =>
  steps.split(',').map((step) => {
    const [name, file, detail] = step.split(' ')
    const operation = OPERATIONS.find((each) => each === name) ?? 'ask'
    return { operation, file: Number(file), detail: Number(detail) }
  }),
)

function stepsOf(operations: typeof OPERATIONS, lastFile: number): fc.Arbitrary<readonly Step[]> {
  const operation = fc.constantFrom(...operations)
  return fc.array(fc.record({ operation, file: fc.nat({ max: lastFile }), detail: fc.nat({ max: 999 }) }), {
    minLength: 3,
    maxLength: 14,
  })
}

const WORDS = ['tea', 'Köln', '天気', 'boil water', 'src/tea.ts']

function line(id: string, detail: number): string {
  const at = new Date(Date.UTC(2026, 0, 1 + (detail % 3), detail % 24)).toISOString()
  const word = WORDS[detail % WORDS.length] ?? ''
  const facts = { sessionId: id, cwd: `/srv/project-${detail % 2}`, timestamp: at }
  const uuid = `${id}-${detail}`
  switch (detail % 4) {
    case 0:
      return toText([{ ...userMessage(`Make ${word} ${detail}`, { uuid }), ...facts }])
    case 1:
      return toText([{ ...modelAnswers(`m-${uuid}`, `Here is ${word}.`, { uuid }), ...facts }])
    case 2:
      return toText([
        {
          ...assistantMessage(`m-${uuid}`, toolUse(`t-${uuid}`, 'Bash', { command: `cat ${word}` }), {
            uuid,
          }),
          ...facts,
        },
      ])
    default:
      return toText([{ ...userMessage([toolResult(`t-${id}-${detail - 1}`, word)], { uuid }), ...facts }])
  }
}

/** The files of sessions that a history changes. */
export class ChangingHome {
  readonly #home: string
  #count = 0

  constructor(home: string) {
    this.#home = home
  }

  async run({ operation, file, detail }: Step): Promise<void> {
    this.#awaitClock()
    const files = await this.#files()
    const path = files[file % Math.max(1, files.length)]
    const id = `s${detail % 5}`
    switch (operation) {
      case 'write':
        return this.#write(this.#newPath(file, id), line(id, 4 * detail) + line(id, 4 * detail + 1))
      case 'append':
        return path === undefined ? undefined : appendFile(path, line(idOf(path), detail))
      case 'half':
        return path === undefined
          ? undefined
          : appendFile(path, line(idOf(path), detail).slice(0, 30 + detail))
      case 'rewrite':
        return path === undefined ? undefined : this.#write(path, line(id, detail) + line(id, detail + 1))
      case 'same-size':
        return path === undefined ? undefined : this.#sameSize(path)
      case 'truncate':
        return path === undefined
          ? undefined
          : truncate(path, Math.floor(((await stat(path)).size * detail) / 1000))
      case 'rename':
        return path === undefined ? undefined : this.#rename(path, this.#newPath(file, id))
      case 'delete':
        return path === undefined ? undefined : rm(path)
      case 'touch':
        return path === undefined ? undefined : utimes(path, 1e9 + detail, 1e9 + detail)
      case 'agent':
        return path === undefined ? undefined : this.#agent(path, detail)
      case 'foreign':
        return path === undefined ? undefined : this.#foreign(path, file + detail)
      case 'codex-child':
        return this.#recorded(file, detail)
      default:
        return undefined
    }
  }

  /** The clock of the disk goes in steps, and a change within a step leaves the time of a folder as it is. */
  #awaitClock(): void {
    const path = join(this.#home, '.cache.clock')
    const time = () => {
      writeFileSync(path, '')
      return statSync(path).mtimeMs
    }
    for (const start = time(); time() === start; );
  }

  async #agent(path: string, detail: number): Promise<void> {
    const folder = join(path.replace(/\.jsonl$/, ''), 'subagents')
    if (!path.includes('.claude') || path.includes('subagents')) return
    const facts = { agentId: `a${detail % 3}`, isSidechain: true }
    const lines = [4 * detail, 4 * detail + 1].map((each) => JSON.parse(line(idOf(path), each)))
    const agent = join(folder, `agent-a${detail % 3}.jsonl`)
    await this.#write(agent, toText(lines.map((each) => ({ ...each, ...facts }))))
    if (detail % 2 === 0)
      await this.#write(agent.replace('.jsonl', '.meta.json'), `{"agentType":"type-${detail % 4}"}`)
  }

  /** A session's file, or that of its agent, goes on or begins in the format of another program. */
  async #foreign(path: string, detail: number): Promise<void> {
    const isClaude = path.includes('.claude') && !path.includes('subagents')
    const agent = join(path.replace(/\.jsonl$/, ''), 'subagents', 'agent-a0.jsonl')
    const target = isClaude && detail % 3 === 0 ? agent : path
    const before = detail % 2 === 0 && existsSync(target) ? await readFile(target, 'utf8') : ''
    const all = inputs()
    await this.#write(target, before + (all[detail % all.length]?.text ?? ''))
  }

  /** Writes a recorded file of another program at its place. */
  async #recorded(file: number, detail: number): Promise<void> {
    const all = inputs()
    const recorded = all[(file + detail) % all.length]
    if (recorded) await this.#write(join(this.#home, recorded.path), recorded.text)
  }

  async #sameSize(path: string): Promise<void> {
    const before = await readFile(path, 'utf8')
    const after = before.replace(/tea|Bash|Here/, (word) => [...word].reverse().join(''))
    await writeFile(path, after)
    // The clock of the disk may not have moved.
    this.#count += 1
    await utimes(path, 2e9 + this.#count, 2e9 + this.#count)
  }

  async #rename(path: string, target: string): Promise<void> {
    await mkdir(dirname(target), { recursive: true })
    await rename(path, target)
  }

  #newPath(file: number, id: string): string {
    return join(this.#home, '.claude', 'projects', `p${file % 2}`, `${id}.jsonl`)
  }

  async #write(path: string, content: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }

  async #files(): Promise<readonly string[]> {
    const names = existsSync(this.#home)
      ? await readdir(this.#home, { recursive: true, withFileTypes: true })
      : []
    return names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes('.cache'))
      .sort()
  }
}

function idOf(path: string): string {
  return /(s\d)[^/]*\.jsonl$/.exec(path)?.[1] ?? 's0'
}
