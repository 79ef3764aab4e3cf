/** The id of the session in `realLines`. */
export const REAL_SESSION = '00000000-0000-4000-8000-001000000000'

/**
 * The lines of a made-up Claude Code file, with the fields and sizes of 2.1.330: half of the lines have more than 1,200 bytes, and one line
 * in 900 has 100 kB. In `fixtures/`, half of the lines with a message have more than 1,200 bytes too.
 */
export function realLines(count: number): string {
  const lines: string[] = [line(0, user(0, PROMPT))]
  for (let at = 1; lines.length < count; at += 3) {
    const call = { id: `toolu_01${number(at, 22)}`, name: 'Read', input: INPUT }
    const output = at % 900 === 1 ? PROMPT.repeat(480) : PROMPT
    lines.push(
      line(at, assistant(at, 0, { type: 'text', text: PROMPT })),
      line(at + 1, assistant(at, 1, { type: 'tool_use', ...call })),
      line(at + 2, { ...user(at, [resultOf(call.id, output)]), ...recordOf(at + 1, output) }),
    )
  }
  return lines.slice(0, count).join('\n')
}

const PROMPT =
  'Look into the reducer, report what you have found there, and keep every block of the session as it was. '
const MODEL = 'claude-opus-5-5'
const INPUT = { file_path: '/srv/demo/src/reducer/blocks.ts', offset: 1, limit: 200 }
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
  const file = { filePath: INPUT.file_path, content, numLines: 1, startLine: 1, totalLines: 1 }
  return {
    toolUseResult: { type: 'text', file },
    sandboxed: false,
    sourceToolAssistantUUID: uuid(callAt),
    permissionDecision: { decision: 'accept', source: 'config', reasonType: 'mode' },
  }
}

function assistant(at: number, apiBlockIndex: number, part: object): object {
  const message = {
    id: `msg_01${number(at, 22)}`,
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
    requestId: `req_01${number(at, 22)}`,
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

function uuid(at: number): string {
  return `00000000-0000-4000-8000-${number(at, 12)}`
}

function number(at: number, digits: number): string {
  return String(at).padStart(digits, '0')
}
