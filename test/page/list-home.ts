import { appendFile, mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const MINUTE = 60_000

interface SessionOptions {
  readonly id: string
  readonly prompt: string
  readonly cwd?: string
  /** The time of the last message, in ms since the epoch. */
  readonly at: number
  readonly minutes?: number
  readonly model?: string
  /** The content of the model's message. */
  readonly content: readonly object[]
  /** Absent while the turn goes on. */
  readonly stop?: string
  /** An error of the API in the words of its server. */
  readonly error?: string
}

/** A home folder with sessions of Claude Code, for tests of the list. */
export class ListHome {
  readonly #home: string
  /** The last message of each file. */
  readonly #last = new Map<string, string>()

  constructor(home: string) {
    this.#home = home
  }

  fileOf(id: string): string {
    return join(this.#home, '.claude', 'projects', '-srv', `${id}.jsonl`)
  }

  async write(options: SessionOptions): Promise<void> {
    await writeAt(this.fileOf(options.id), this.#linesOf(options), options.at)
  }

  /** Adds lines of an agent that a session has started. */
  async writeAgent(id: string, agentId: string, text: string, at: number): Promise<void> {
    const folder = join(dirname(this.fileOf(id)), id, 'subagents')
    await mkdir(folder, { recursive: true })
    const facts = { sessionId: id, agentId, isSidechain: true, cwd: '/srv/shop', version: '2.1.0' }
    const stamp = `${agentId}-${at}`
    const lines = [
      {
        ...facts,
        type: 'user',
        uuid: `${stamp}-u`,
        parentUuid: this.#parentIn(agentId, stamp),
        timestamp: iso(at - 1),
        message: { role: 'user', content: 'Look at it.' },
      },
      assistant({ facts, uuid: `${stamp}-a`, parent: `${stamp}-u`, at, content: [{ type: 'text', text }] }),
    ]
    await appendFile(join(folder, `agent-${agentId}.jsonl`), toText(lines))
    await writeFile(
      join(folder, `agent-${agentId}.meta.json`),
      JSON.stringify({ agentType: 'Explore', description: 'Look at the server', toolUseId: `${id}-call` }),
    )
  }

  #linesOf(options: SessionOptions): readonly object[] {
    return linesOf(options, this.#parentIn(options.id, `${options.id}-${options.at}`))
  }

  #parentIn(file: string, stamp: string): string | null {
    const parent = this.#last.get(file) ?? null
    this.#last.set(file, `${stamp}-a`)
    return parent
  }

  async append(options: SessionOptions): Promise<void> {
    await appendFile(this.fileOf(options.id), toText(this.#linesOf(options)))
  }
}

/** The content of a message that starts an agent. */
export function agentCall(id: string): readonly object[] {
  const input = { description: 'Look at the server', prompt: 'Look at it.', subagent_type: 'Explore' }
  return [{ type: 'tool_use', id: `${id}-call`, name: 'Agent', input }]
}

export function textOf(text: string): readonly object[] {
  return [{ type: 'text', text }]
}

function linesOf(
  {
    id,
    prompt,
    cwd = '/srv/shop',
    at,
    minutes = 2,
    model = 'claude-opus-4-5',
    content,
    stop,
    error,
  }: SessionOptions,
  parentUuid: string | null,
): readonly object[] {
  const facts = { sessionId: id, cwd, version: '2.1.0', isSidechain: false }
  const stamp = `${id}-${at}`
  return [
    {
      ...{
        ...facts,
        type: 'user',
        uuid: `${stamp}-u`,
        parentUuid,
        timestamp: iso(at - minutes * MINUTE),
      },
      message: { role: 'user', content: prompt },
    },
    error === undefined
      ? assistant({ facts, uuid: `${stamp}-a`, parent: `${stamp}-u`, at, content, stop, model })
      : {
          ...assistant({
            ...{ facts, uuid: `${stamp}-a`, parent: `${stamp}-u`, at, content: textOf(error) },
            ...{ stop: 'stop_sequence', model: '<synthetic>' },
          }),
          isApiErrorMessage: true,
        },
  ]
}

interface AssistantLine {
  readonly facts: object
  readonly uuid: string
  readonly parent: string
  readonly at: number
  readonly content: readonly object[]
  readonly stop?: string | undefined
  readonly model?: string
}

function assistant({
  facts,
  uuid,
  parent,
  at,
  content,
  stop,
  model = 'claude-opus-4-5',
}: AssistantLine): object {
  const message = {
    ...{ id: `msg-${uuid}`, type: 'message', role: 'assistant', model, content, stop_reason: stop ?? null },
    usage: { input_tokens: 1_000, output_tokens: 500 },
  }
  return { ...facts, type: 'assistant', uuid, parentUuid: parent, timestamp: iso(at), message }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

function toText(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

async function writeAt(path: string, lines: readonly object[], at: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, toText(lines))
  await utimes(path, at / 1000, at / 1000)
}
