import process from 'node:process'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type CallToolResult,
  CancelledNotificationSchema,
  isJSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { version } from '../../../package.json'
import { omitUndefined } from '../../core/json/fields.ts'
import { SESSION_STATUSES, type SessionStatus } from '../../core/selectors/status.ts'
import { type MatchFilter, SEARCH_ROLES } from '../../node/search.ts'
import { SessionIndexError } from '../../node/session-index/postgres/index-error.ts'
import type { SessionIndex } from '../../node/session-index/session-questions.ts'
import type { SessionRow } from '../../node/session-index/session-row.ts'
import { STATISTIC_KEYS, type StatisticKey } from '../../node/session-index/statistics.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import type { Redact } from '../../redaction/options.ts'
import { redactJson } from '../../redaction/printable.ts'
import { redactAll } from '../../redaction/redactions.ts'
import { redactSession } from '../../redaction/session.ts'
import { toMarkdown } from '../../sinks/markdown/to-markdown.ts'
import { toJson } from '../terminal/text.ts'
import { isProgram, programNames } from './command.ts'

/** Which sessions the server answers about, and how. */
interface McpServerOptions {
  /** The server closes it. */
  readonly index: SessionIndex
  readonly isRedacted: boolean
  readonly signal: AbortSignal
}

/** Runs the server until the client or the person ends it. */
export async function runMcpServer(
  { index, isRedacted, signal }: McpServerOptions,
  transport: Transport = new StdioServerTransport(),
  input: { once(name: 'end', work: () => void): unknown } = process.stdin,
): Promise<void> {
  const server = createServer(new SessionAnswers(index, isRedacted ? redactAll : undefined))
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve
    signal.addEventListener('abort', () => resolve(), { once: true })
    // The transport of standard input does not report its end. Its client may still wait for answers.
    const answered = whenAnswered(transport)
    input.once('end', () => void answered().then(resolve))
  })
  try {
    await server.connect(transport)
    await ended
  } finally {
    await server.close()
    await index.close()
  }
}

/** Returns a function that waits until each request of a transport has its answer. One that the client cancels gets none. */
function whenAnswered(transport: Transport): () => Promise<void> {
  const open = new Set<RequestId>()
  let onEmpty = () => {}
  const close = (id: RequestId | undefined) => {
    if (id !== undefined) open.delete(id)
    if (open.size === 0) onEmpty()
  }
  // The server calls it before its own.
  transport.onmessage = (message) => {
    if (isJSONRPCRequest(message)) open.add(message.id)
    const cancelled = CancelledNotificationSchema.safeParse(message)
    if (cancelled.success) close(cancelled.data.params.requestId)
  }
  const send = transport.send.bind(transport)
  transport.send = async (message, options) => {
    await send(message, options)
    if ('id' in message && !isJSONRPCRequest(message)) close(message.id)
  }
  return () =>
    new Promise((resolve) => {
      onEmpty = resolve
      close(undefined)
    })
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const

const session = z.string().max(1_000).describe('the id of a session, or the beginning of one')
const limit = z.number().int().min(1).max(200)
const since = z.string().optional().describe('an age such as 7d or 12h, or an ISO 8601 time')
const cwd = z.string().optional().describe('a folder: the sessions that ran there or below it')

/** Returns a server whose tools only read. */
function createServer(answers: SessionAnswers): McpServer {
  const server = new McpServer({ name: 'agentfold', version })
  server.registerTool(
    'search_sessions',
    {
      description: 'Finds a text in the prompts, answers, commands and outputs of all coding-agent sessions.',
      inputSchema: {
        text: z.string().describe('the text; may be empty if a filter is set'),
        tool: z.string().optional().describe('a tool, or a kind of tools: command, edit, read, search'),
        file: z.string().optional().describe('calls that name this file'),
        input: z.string().optional().describe('calls whose input has this text'),
        role: z.enum(SEARCH_ROLES).optional(),
        failed: z.boolean().optional().describe('failed calls and errors only'),
        limit: limit.default(20),
      },
      annotations: READ_ONLY,
    },
    ({ text, ...query }) => answers.search(text, query),
  )
  server.registerTool(
    'list_sessions',
    {
      description: 'Lists coding-agent sessions, newest first, with status, tokens and cost.',
      inputSchema: {
        program: z.string().optional(),
        cwd,
        since,
        status: z.enum(SESSION_STATUSES).optional(),
        limit: limit.default(20),
      },
      annotations: READ_ONLY,
    },
    (query) => answers.list(query),
  )
  server.registerTool(
    'get_session',
    {
      description: 'Returns a session as Markdown, in parts. The last line says how many parts there are.',
      inputSchema: {
        session,
        part: z.number().int().min(1).default(1),
        maxTokens: z.number().int().min(200).max(50_000).default(5_000).describe('the size of a part'),
      },
      annotations: READ_ONLY,
    },
    (query) => answers.session(query),
  )
  server.registerTool(
    'get_changes',
    {
      description: 'Returns the files that a session has changed, with the lines added and removed.',
      inputSchema: { session },
      annotations: READ_ONLY,
    },
    ({ session: id }) => answers.changes(id),
  )
  server.registerTool(
    'stats',
    {
      description:
        'Sums up sessions: turns, failures, tokens, cost and the time that they waited for the person.',
      inputSchema: { by: z.enum(STATISTIC_KEYS), since, cwd },
      annotations: READ_ONLY,
    },
    (query) => answers.stats(query),
  )
  return server
}

interface ListQuery {
  readonly program?: string | undefined
  readonly cwd?: string | undefined
  readonly since?: string | undefined
  readonly status?: SessionStatus | undefined
  readonly limit: number
}

interface MatchQuery extends MatchFilter {
  readonly limit: number
}

interface PartQuery {
  readonly session: string
  /** From 1. */
  readonly part: number
  readonly maxTokens: number
}

/** Answers the tools. An agent names sessions by their ids alone, so it can read no other file. */
class SessionAnswers {
  readonly #index: SessionIndex
  readonly #redact: Redact | undefined

  /** If there is a `redact`, answers hide secrets, and a search looks at texts without them. */
  constructor(index: SessionIndex, redact: Redact | undefined) {
    this.#index = index
    this.#redact = redact
  }

  async list(query: ListQuery): Promise<CallToolResult> {
    return this.#answer(async () => {
      const { program } = query
      if (program !== undefined && !isProgram(program))
        throw new UnknownSessionError(`no program has that name: use ${programNames().join(', ')}`)
      return (await this.#index.sessions(query)).map(withoutPath)
    })
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
      const row = only(await this.#index.sessions(), session)
      const state = await this.#index.read(row)
      if (!state) throw new UnknownSessionError(`${row.id}: its machine could not read it`)
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
        error instanceof UnknownSessionError ||
        error instanceof SessionIndexError ||
        error instanceof TranscriptError ||
        error instanceof TypeError
      if (!isOfQuestion) throw error
      const message = 'code' in error ? `${error.message} (${error.code})` : error.message
      const text = this.#redact ? this.#redact(message) : message
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

function withoutPath({ path: _path, file: _file, ...row }: SessionRow): Omit<SessionRow, 'path' | 'file'> {
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
