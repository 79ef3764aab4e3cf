import { list, type Raw, raw, text } from '../status/oracle.ts'
import type { Meaning } from '../status/steps-oracle.ts'
import type { StepProgram } from '../steps/programs.ts'

export const program: StepProgram = {
  name: 'Factory Droid',
  beginning: ['{"type":"session_start","id":"s","title":"t","owner":"o","version":2}'],
  line: (id, json) =>
    `{"type":"message","id":"${id}","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"assistant","content":[{"type":"text","text":${json}}]}}`,
  silent: '{"type":"todo_state","id":"t","todos":{}}',
  meaning: () => droidMeaning,
  stored: {
    from: 'droid/03-agent/store/.factory',
    to: '.factory',
    session: '.factory/sessions/-srv-demo/790d4f95-3acb-453b-aeb5-f40d3a1ffe94.jsonl',
    words: 'REPORT-A: there are two lines.',
    prompt: 'Let an agent look at the notes.',
  },
}

/** The program ends a turn in the model's place. */
function isRefused(words: unknown): boolean {
  return text(words).startsWith('Exec ended early: ')
}

/** In a file, a reply without a call is an answer. On the stream, only its end shows that. */
function droidMeaning({ type, role, message, reason, visibility, text: words }: Raw): Meaning {
  const { role: author, content } = raw(message)
  const parts = list(content)
  switch (type) {
    case 'completion':
      return 'end'
    case 'error':
      return 'failure'
    case 'agent_turn_outcome':
      return reason === 'completed' ? 'end' : reason === 'cancelled' ? 'stop' : 'failure'
    case 'reasoning':
    case 'tool_call':
    case 'tool_result':
      return 'work'
    case 'message':
      if (isRefused(words) || isRefused(parts[0]?.text)) return 'failure'
      if (role !== undefined) return role === 'assistant' || text(words) !== '' ? 'work' : undefined
      if (author === 'assistant') return parts.some((part) => part.type === 'tool_use') ? 'work' : 'answer'
      if (visibility === 'user_only') return undefined
      return parts.some((part) => !text(part.text).startsWith('<system-reminder>')) ? 'work' : undefined
    default:
      return undefined
  }
}
