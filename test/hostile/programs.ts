import { type Architecture, parseTranscript, type SessionConversationState } from '../../src/index.ts'

/** How a program writes what an agent says, a line a text. */
export interface Program {
  readonly name: string
  readonly architecture: Architecture
  /** The lines that have to stand before. */
  readonly beginning: readonly string[]
  /** A line in which the agent says a text; the text is given as its JSON. */
  line(id: string, json: string): string
  /** A line that says nothing. */
  readonly silent: string
}

export const CLAUDE: Program = {
  name: 'Claude Code',
  architecture: 'claude-sdk',
  beginning: [],
  line: (id, json) =>
    `{"type":"assistant","session_id":"s","uuid":"${id}","message":{"id":"${id}","role":"assistant","content":[{"type":"text","text":${json}}]}}`,
  silent: '{"type":"keep_alive"}',
}

export const OPENCODE: Program = {
  name: 'OpenCode',
  architecture: 'opencode',
  beginning: [
    '{"type":"session.created","properties":{"sessionID":"s","info":{"id":"s"}}}',
    '{"type":"message.updated","properties":{"sessionID":"s","info":{"id":"m","sessionID":"s","role":"assistant"}}}',
  ],
  line: (id, json) =>
    `{"type":"message.part.updated","properties":{"sessionID":"s","part":{"id":"${id}","sessionID":"s","messageID":"m","type":"text","text":${json},"time":{"start":1,"end":2}}}}`,
  silent: '{"type":"server.heartbeat","properties":{}}',
}

export const PROGRAMS: readonly Program[] = [CLAUDE, OPENCODE]

export const textsOf = ({ blocks }: Pick<SessionConversationState, 'blocks'>): readonly unknown[] =>
  blocks.map((block) => 'content' in block && block.content)

/** What the lines of a program say. */
export const said = ({ architecture }: Program, raw: string): readonly unknown[] =>
  textsOf(parseTranscript(architecture, raw))
