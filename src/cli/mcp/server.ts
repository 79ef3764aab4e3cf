import process from 'node:process'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { z } from 'zod'
import { version } from '../../../package.json'
import { SEARCH_ROLES } from '../../node/search/matches.ts'
import { openSessionIndex } from '../../node/session-index/open-session-index.ts'
import { STATISTIC_KEYS } from '../../node/session-index/statistics.ts'
import { redactAll } from '../../redaction/redactions.ts'
import { SessionAnswers } from './session-answers.ts'

/** Which sessions the server answers about, and how. */
interface McpServerOptions {
  readonly home?: string
  /** Folders about whose sessions it answers nothing. */
  readonly exclude: readonly string[]
  readonly isRedacted: boolean
  readonly isIndexed: boolean
  readonly now?: () => number
  readonly signal: AbortSignal
}

/** Runs the server until the client or the person ends it. */
export async function runMcpServer(
  options: McpServerOptions,
  transport: Transport = new StdioServerTransport(),
): Promise<void> {
  const { home, exclude, isIndexed, now, isRedacted, signal } = options
  const index = await openSessionIndex({
    ...(home !== undefined && { home }),
    ...(now && { now }),
    ...(!isIndexed && { path: false as const }),
    exclude,
  })
  const server = createServer(new SessionAnswers(index, isRedacted ? redactAll : undefined))
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve
    signal.addEventListener('abort', () => resolve(), { once: true })
    // The transport of standard input does not report its end.
    process.stdin.once('end', resolve)
  })
  try {
    await server.connect(transport)
    await ended
  } finally {
    await server.close()
    await index.close()
  }
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const

const session = z.string().describe('the id of a session, or the beginning of one')
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
        status: z
          .enum(['idle', 'running', 'waiting', 'background', 'finished', 'interrupted', 'failed'])
          .optional(),
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
