/** The id of the session in `realLines`. */
export const REAL_SESSION = '00000000-0000-4000-8000-001000000000'

/** The lines of a made-up Claude Code file, with the sizes that real files have: 600 bytes on average, and one line of 100 kB in 300. */
export function realLines(count: number): string {
  const lines: string[] = [line(0, user(PROMPT))]
  for (let at = 1; lines.length < count; at += 3) {
    const [toolUseId, messageId] = [`toolu_${at}`, `msg_${at}`]
    const output = at % 301 === 1 ? PROMPT.repeat(700) : PROMPT
    lines.push(
      line(at, assistant(messageId, { type: 'text', text: PROMPT })),
      line(at + 1, assistant(messageId, { type: 'tool_use', id: toolUseId, name: 'Read', input: INPUT })),
      line(at + 2, user([{ type: 'tool_result', tool_use_id: toolUseId, content: output }])),
    )
  }
  return lines.slice(0, count).join('\n')
}

const PROMPT =
  'Look into the reducer, report what you have found there, and keep every block of the session as it was. '
const INPUT = { file_path: '/srv/demo/src/reducer/blocks.ts', offset: 1, limit: 200 }
const USAGE = {
  input_tokens: 4,
  cache_creation_input_tokens: 211,
  cache_read_input_tokens: 9_876,
  output_tokens: 98,
}

function user(content: unknown): object {
  return { type: 'user', message: { role: 'user', content } }
}

function assistant(id: string, part: object): object {
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4',
    content: [part],
    usage: USAGE,
  }
  return { type: 'assistant', message: { ...message, stop_reason: 'tool_use' }, requestId: `req_${id}` }
}

function line(at: number, message: object): string {
  const place = {
    uuid: uuid(at),
    parentUuid: at === 0 ? null : uuid(at - 1),
    isSidechain: false,
    userType: 'external',
  }
  const timestamp = new Date(at * 1_000).toISOString()
  const session = { sessionId: REAL_SESSION, cwd: '/srv/demo', version: '2.1.330', gitBranch: 'main' }
  return JSON.stringify({ ...place, ...session, timestamp, ...message })
}

function uuid(at: number): string {
  return `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
}
