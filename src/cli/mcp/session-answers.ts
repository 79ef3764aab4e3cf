import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { omitUndefined } from '../../core/json/fields.ts'
import type { SessionStatus } from '../../core/selectors/status.ts'
import { readSession } from '../../node/read/read-session.ts'
import type { SearchRole } from '../../node/search/matches.ts'
import type { SessionIndex } from '../../node/session-index/session-questions.ts'
import type { SessionRow } from '../../node/session-index/session-row.ts'
import type { StatisticKey } from '../../node/session-index/statistics.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import type { Redact } from '../../redaction/options.ts'
import { redactSession } from '../../redaction/session.ts'
import { toMarkdown } from '../../sinks/markdown/to-markdown.ts'
import { redactJson } from '../list/redact-json.ts'
import { toJson } from '../terminal/text.ts'

interface ListQuery {
  readonly program?: string | undefined
  readonly cwd?: string | undefined
  readonly since?: string | undefined
  readonly status?: SessionStatus | undefined
  readonly limit: number
}

interface MatchQuery {
  readonly tool?: string | undefined
  readonly file?: string | undefined
  readonly role?: SearchRole | undefined
  readonly failed?: boolean | undefined
  readonly limit: number
}

interface PartQuery {
  readonly session: string
  /** From 1. */
  readonly part: number
  readonly maxTokens: number
}

/** Answers the tools. An agent names sessions by their ids alone, so it can read no other file. */
export class SessionAnswers {
  readonly #index: SessionIndex
  readonly #redact: Redact | undefined

  /** If there is a `redact`, answers hide secrets, and a search looks at texts without them. */
  constructor(index: SessionIndex, redact: Redact | undefined) {
    this.#index = index
    this.#redact = redact
  }

  async list(query: ListQuery): Promise<CallToolResult> {
    return this.#answer(async () => (await this.#index.sessions(query)).map(withoutPath))
  }

  async search(text: string, query: MatchQuery): Promise<CallToolResult> {
    const redact = this.#redact
    const view = redact && { view: (state: SessionRecordState) => redactSession(state, redact) }
    return this.#answer(async () =>
      (await this.#index.search(text, { ...query, ...view })).map(({ path: _path, ...match }) => match),
    )
  }

  async stats(query: {
    readonly by: StatisticKey
    readonly since?: string | undefined
    readonly cwd?: string | undefined
  }): Promise<CallToolResult> {
    const { by, since, cwd } = query
    return this.#answer(() =>
      this.#index.stats({ by, ...(since !== undefined && { since }), ...(cwd !== undefined && { cwd }) }),
    )
  }

  async changes(id: string): Promise<CallToolResult> {
    return this.#answer(async () => only(await this.#index.records(), id).files)
  }

  async session({ session, part, maxTokens }: PartQuery): Promise<CallToolResult> {
    return this.#reporting(async () => {
      await this.#index.update()
      const { path } = only(await this.#index.sessions(), session)
      const { state } = await readSession(path)
      const markdown = toMarkdown(state, this.#redact ? { redact: this.#redact } : {})
      const parts = partsOf(markdown, maxTokens * CHARACTERS)
      const text = parts[part - 1]
      if (text === undefined) throw new UnknownSessionError(`the session has ${parts.length} parts`)
      return `${text}\n\n(part ${part} of ${parts.length})`
    })
  }

  #answer(ask: () => Promise<readonly unknown[]>): Promise<CallToolResult> {
    return this.#reporting(async () => {
      await this.#index.update()
      const list = await ask()
      return toJson(this.#redact ? redactJson(list, this.#redact) : list)
    })
  }

  /** A wrong question is an answer that says so. */
  async #reporting(work: () => Promise<string>): Promise<CallToolResult> {
    try {
      return { content: [{ type: 'text', text: await work() }] }
    } catch (error) {
      const isOfQuestion =
        error instanceof UnknownSessionError || error instanceof TranscriptError || error instanceof TypeError
      if (!isOfQuestion) throw error
      const text = this.#redact ? this.#redact(error.message) : error.message
      return { content: [{ type: 'text', text }], isError: true }
    }
  }
}

type SessionRecordState = Parameters<typeof redactSession>[0]

class UnknownSessionError extends Error {}

/** Returns the only session whose id is the name or begins with it. */
function only<Row extends Pick<SessionRow, 'id'>>(rows: readonly Row[], name: string): Row {
  const wanted = name.toLowerCase()
  const exact = rows.find(({ id }) => id.toLowerCase() === wanted)
  const found = exact ? [exact] : rows.filter(({ id }) => id.toLowerCase().startsWith(wanted))
  const [first] = found
  if (!first || name === '') throw new UnknownSessionError(`no session ${name}: use list_sessions`)
  if (found.length > 1) throw new UnknownSessionError(`${found.length} sessions have an id that begins so`)
  return first
}

function withoutPath({ path: _path, ...row }: SessionRow): Omit<SessionRow, 'path'> {
  return omitUndefined(row)
}

/** The characters of a token, as a rule. */
const CHARACTERS = 4

/** Cuts a document at its paragraphs. One that is longer than a part is cut at lines, or else anywhere. */
export function partsOf(document: string, size: number): readonly string[] {
  const parts: string[] = []
  for (let start = 0; start < document.length; ) {
    const end = start + size
    if (end >= document.length) {
      parts.push(document.slice(start))
      break
    }
    const cut = [document.lastIndexOf('\n\n', end), document.lastIndexOf('\n', end)].find(
      (each) => each > start + size / 2,
    )
    // Half of a character is none.
    const hard = /[\ud800-\udbff]/.test(document[end - 1] ?? '') ? end - 1 : end
    parts.push(document.slice(start, cut ?? hard))
    start = cut ?? hard
  }
  return parts.length === 0 ? [''] : parts
}
