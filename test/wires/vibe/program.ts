import { list, type Raw, text } from '../status/oracle.ts'
import type { Meaning } from '../status/steps-oracle.ts'
import type { StepProgram } from '../steps/programs.ts'

export const program: StepProgram = {
  name: 'Mistral Vibe',
  beginning: [],
  line: (id, json) => `{"role":"assistant","content":${json},"injected":false,"message_id":"${id}"}`,
  silent: '{"session_id":"s","start_time":"2026-01-01T00:00:00+00:00"}',
  meaning: () => vibeMeaning,
  stored: {
    from: 'vibe/01-agent/store',
    to: '.vibe',
    session: '.vibe/logs/session/session_20261125_094639_00000000/messages.jsonl',
    words: 'The lamp is mended.',
    prompt: 'Mend the lamp.',
  },
}

function vibeMeaning({ role, injected, content, tool_calls }: Raw): Meaning {
  if (role === 'user') return injected === true ? undefined : 'work'
  if (role === 'tool') return text(content).startsWith('<user_cancellation>') ? 'stop' : 'work'
  if (role !== 'assistant') return undefined
  return list(tool_calls).length > 0 ? 'work' : 'answer'
}
