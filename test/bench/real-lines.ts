/** The id of the session in `realLines`. */
export const REAL_SESSION = '00000000-0000-4000-8000-001000000000'

/**
 * The lines of a made-up Claude Code file, with the fields of 2.1.330. Half of the lines have more than 1,290 bytes. In `fixtures/`, half of
 * the lines with a message have more than 1,190. One line in 800 has 100 kB, which no fixture has. Lines without a message are left out.
 */
export function realLines(count: number): string {
  const lines = [line(0, user(0, PROMPT))]
  for (let call = 0; lines.length < count; call += 1) lines.push(...linesOfCall(call, lines.length))
  return lines.slice(0, count).join('\n')
}

/** Returns a call with its result. The message of each third call begins with a text. */
function linesOfCall(call: number, first: number): readonly string[] {
  const texts = call % 3 === 0 ? [{ type: 'text', text: PROMPT }] : []
  const toolUse = { type: 'tool_use', id: id('toolu', call), name: 'Bash', input: INPUT }
  const output = call % 343 === 0 ? PROMPT.repeat(480) : PROMPT
  const at = first + texts.length
  return [
    ...texts.map((text) => line(first, assistant(first, { call, index: 0 }, text))),
    line(at, assistant(at, { call, index: texts.length }, toolUse)),
    line(at + 1, { ...user(0, [resultOf(toolUse.id, output)]), ...recordOf(at, output) }),
  ]
}

const PROMPT =
  'Look into the reducer, report what you have found there, and keep every block of the session as it was. '
const MODEL = 'claude-opus-5-5'
const INPUT = { command: 'cat src/core/reducer/blocks.ts', description: 'Show the blocks of the reducer' }
const USAGE = {
  input_tokens: 4,
  cache_creation_input_tokens: 211,
  cache_read_input_tokens: 9_876,
  output_tokens: 98,
  output_tokens_details: { thinking_tokens: 0 },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: 'standard',
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 211 },
  inference_geo: '',
  iterations: [],
  speed: 'standard',
  fallback_credit: null,
}

function user(at: number, content: unknown): object {
  return { promptId: uuid(at), type: 'user', message: { role: 'user', content } }
}

function resultOf(toolUseId: string, content: string): object {
  return { tool_use_id: toolUseId, type: 'tool_result', content, is_error: false }
}

/** The tool's own record of a result, which repeats the result. */
function recordOf(callAt: number, content: string): object {
  return {
    toolUseResult: {
      stdout: content,
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    },
    sandboxed: false,
    sourceToolAssistantUUID: uuid(callAt),
    permissionDecision: { decision: 'accept', source: 'config', reasonType: 'mode' },
  }
}

interface MessagePlace {
  readonly call: number
  readonly index: number
}

function assistant(at: number, { call, index: apiBlockIndex }: MessagePlace, part: object): object {
  const message = {
    id: id('msg', call),
    type: 'message',
    role: 'assistant',
    model: MODEL,
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: USAGE,
    content: [part],
    stop_details: null,
  }
  return {
    message,
    apiBlockIndex,
    requestId: id('req', call),
    requestRef: uuid(at),
    requestedModel: MODEL,
    promptCacheRequested: '5m',
    type: 'assistant',
    effort: 'medium',
    perTurnEffort: 'medium',
    madeBy: 'model',
  }
}

function line(at: number, message: object): string {
  const place = { parentUuid: at === 0 ? null : uuid(at - 1), isSidechain: false }
  const timestamp = new Date(at * 1_000).toISOString()
  const session = { cwd: '/srv/demo', sessionId: REAL_SESSION, version: '2.1.330', gitBranch: 'main' }
  const program = { userType: 'external', entrypoint: 'sdk-cli' }
  return JSON.stringify({ ...place, ...message, uuid: uuid(at), timestamp, ...program, ...session })
}

function id(prefix: string, at: number): string {
  return `${prefix}_01${number(at, 22)}`
}

function uuid(at: number): string {
  return `00000000-0000-4000-8000-${number(at, 12)}`
}

function number(at: number, digits: number): string {
  return String(at).padStart(digits, '0')
}
