import type { Raw } from '../status/oracle.ts'
import type { Meaning } from '../status/steps-oracle.ts'
import type { StepProgram } from '../steps/programs.ts'

export const program: StepProgram = {
  name: 'Hermes Agent',
  beginning: [],
  line: (id, json) =>
    `{"id":"${id}","role":"assistant","content":${json},"tool_call_id":"","tool_calls":"","tool_name":"","finish_reason":"stop"}`,
  silent: '{"id":"s","source":"cli","started_at":1}',
  meaning: () => hermesMeaning,
  stored: {
    from: 'hermes/01-tools',
    to: '.hermes/state.db',
    isRows: true,
    session: '.hermes/state.db#20261125_094639_abc123',
    words: 'Three mills, no ladder.',
    prompt: 'Count with care.',
  },
}

function hermesMeaning({ role, finish_reason }: Raw): Meaning {
  if (role === 'user' || role === 'tool') return 'work'
  if (role !== 'assistant') return undefined
  return finish_reason === 'tool_calls' ? 'work' : 'answer'
}
