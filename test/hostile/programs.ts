import { type Architecture, parseTranscript, type SessionConversationState } from '../../src/entries/index.ts'
import { STEP_PROGRAMS } from '../wires/steps/programs.ts'

/** How a program writes an agent's texts, one in each line. */
export interface Program {
  readonly name: string
  readonly architecture: Architecture
  /** The lines that the texts need before them. */
  readonly beginning: readonly string[]
  /** Returns a line with the agent's text, which is given as JSON. */
  line(id: string, json: string): string
  /** A line without content. */
  readonly silent: string
  /** A file of the program has lines of text, and no JSON. */
  readonly isText?: true
}

export const CLAUDE: Program = {
  name: 'Claude Code',
  architecture: 'claude-sdk',
  beginning: ['{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.330"}'],
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

export const CODEX: Program = {
  name: 'Codex',
  architecture: 'codex',
  beginning: ['{"type":"session_meta","payload":{"id":"s"}}'],
  line: (id, json) =>
    `{"type":"event_msg","payload":{"type":"item_completed","thread_id":"s","item":{"type":"AgentMessage","id":"${id}","content":[{"type":"Text","text":${json}}]}}}`,
  silent: '{"type":"world_state","payload":{}}',
}

export const PI: Program = {
  name: 'Pi',
  architecture: 'pi',
  beginning: ['{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/srv"}'],
  line: (id, json) =>
    `{"type":"message_end","message":{"role":"assistant","responseId":"${id}","content":[{"type":"text","text":${json}}]}}`,
  silent: '{"type":"turn_start"}',
}

export const KIMI: Program = {
  name: 'Kimi Code',
  architecture: 'kimi',
  beginning: ['{"type":"metadata","protocol_version":"1.5","created_at":1}'],
  line: (id, json) =>
    `{"type":"context.append_loop_event","agentId":"main","time":1,"event":{"type":"content.part","uuid":"${id}","stepUuid":"${id}","part":{"type":"text","text":${json}}}}`,
  silent: '{"type":"config.update","agentId":"main","time":1}',
}

export const ACP: Program = {
  name: 'ACP',
  architecture: 'acp',
  beginning: [],
  line: (id, json) =>
    `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"${id}","content":{"type":"text","text":${json}}}}}`,
  silent:
    '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update"}}}',
}

export const AG_UI: Program = {
  name: 'AG-UI',
  architecture: 'ag-ui',
  beginning: ['{"type":"RUN_STARTED","threadId":"s","runId":"r"}'],
  line: (id, json) =>
    `{"type":"RUN_STARTED","threadId":"s","runId":"r","input":{"threadId":"s","runId":"r","messages":[{"id":"${id}","role":"assistant","content":${json}}]}}`,
  silent: '{"type":"CUSTOM","name":"ping","value":1}',
}

export const COPILOT: Program = {
  name: 'Copilot',
  architecture: 'copilot',
  beginning: [],
  line: (id, json) =>
    `{"type":"assistant.message","data":{"messageId":"${id}","content":${json}},"id":"${id}","timestamp":"2026-01-01T00:00:00.000Z","parentId":null}`,
  silent:
    '{"type":"assistant.intent","data":{},"id":"i","timestamp":"2026-01-01T00:00:00.000Z","parentId":null,"ephemeral":true}',
}

export const GEMINI: Program = {
  name: 'Gemini CLI',
  architecture: 'gemini',
  beginning: ['{"sessionId":"s","projectHash":"p","startTime":"2026-01-01T00:00:00.000Z","kind":"main"}'],
  line: (id, json) => `{"id":"${id}","type":"gemini","content":${json}}`,
  silent: '{"$set":{"lastUpdated":"2026-01-01T00:00:01.000Z"}}',
}

export const QWEN: Program = {
  name: 'Qwen Code',
  architecture: 'qwen',
  beginning: [
    '{"type":"system","subtype":"init","uuid":"s","session_id":"s","cwd":"/","qwen_code_version":"0.24.4"}',
  ],
  line: (id, json) =>
    `{"type":"assistant","uuid":"${id}","session_id":"s","parent_tool_use_id":null,"message":{"id":"${id}","role":"assistant","content":[{"type":"text","text":${json}}],"usage":{"input_tokens":1,"output_tokens":1}}}`,
  silent:
    '{"type":"stream_event","uuid":"p","session_id":"s","parent_tool_use_id":null,"event":{"type":"content_block_stop","index":0}}',
}

export const CLINE: Program = {
  name: 'Cline CLI',
  architecture: 'cline',
  beginning: [
    '{"ts":"2026-01-01T00:00:00.000Z","type":"hook_event","hookEventName":"agent_start","agentId":"a","taskId":"t","parentAgentId":null}',
  ],
  line: (id, json) =>
    `{"id":"${id}","type":"agent_event","event":{"type":"content_end","contentType":"text","text":${json}}}`,
  silent:
    '{"ts":"2026-01-01T00:00:01.000Z","type":"agent_event","event":{"type":"iteration_end","iteration":1}}',
}

export const PROGRAMS: readonly Program[] = [
  CLAUDE,
  OPENCODE,
  CODEX,
  PI,
  ACP,
  AG_UI,
  COPILOT,
  GEMINI,
  KIMI,
  QWEN,
  CLINE,
  ...STEP_PROGRAMS,
]

export const textsOf = ({ blocks }: Pick<SessionConversationState, 'blocks'>): readonly unknown[] =>
  blocks.map((block) => 'content' in block && block.content)

/** Returns the texts of a program's lines. */
export const said = ({ architecture }: Program, raw: string): readonly unknown[] =>
  textsOf(parseTranscript(architecture, raw))
