import type { TurnStatus } from '../../../src/core/state/turn.ts'
import { list, type ProvenAgents, type Raw, raw, type StatusOracle, text } from './oracle.ts'

/** What a line of a file of whole messages means for main's turn. */
type Meaning = 'work' | 'answer' | 'canceled' | 'end' | 'stop' | 'failure' | undefined

/** Reads the files of the programs that append whole messages: Kiro CLI, Mistral Vibe, Antigravity, Hermes, Aider and Factory Droid. */
export class StepsOracle implements StatusOracle {
  readonly #meaningOf: (line: Raw) => Meaning
  #main: TurnStatus = 'idle'
  readonly agents: ProvenAgents = new Map()
  readonly isWaiting = false

  constructor(meaningOf: (line: Raw) => Meaning) {
    this.#meaningOf = meaningOf
  }

  get main(): readonly TurnStatus[] {
    return [this.#main]
  }

  get hasAnswered(): boolean {
    return this.#main === 'finished' || this.#main === 'failed' || this.#main === 'interrupted'
  }

  read(message: unknown): void {
    const line = raw(message)
    if (line.agentId !== undefined) return
    const meaning = this.#meaningOf(line)
    if (meaning === 'work') this.#main = 'running'
    if (meaning === 'answer') this.#main = 'finished'
    if (meaning === 'canceled') this.#main = 'interrupted'
    if (meaning === 'end' && this.#main === 'running') this.#main = 'finished'
    if (meaning === 'stop' && this.#main === 'running') this.#main = 'interrupted'
    if (meaning === 'failure' && this.#main === 'running') this.#main = 'failed'
  }
}

export function kiroMeaning({ kind, data }: Raw): Meaning {
  if (kind === 'Prompt' || kind === 'ToolResults') return 'work'
  if (kind === 'CancelledPrompt') return 'stop'
  if (kind !== 'AssistantMessage') return undefined
  return list(raw(data).content).some((part) => part.kind === 'toolUse') ? 'work' : 'answer'
}

export function vibeMeaning({ role, injected, content, tool_calls }: Raw): Meaning {
  if (role === 'user') return injected === true ? undefined : 'work'
  if (role === 'tool') return text(content).startsWith('<user_cancellation>') ? 'stop' : 'work'
  if (role !== 'assistant') return undefined
  return list(tool_calls).length > 0 ? 'work' : 'answer'
}

export function antigravityMeaning({ source, type, content, tool_calls }: Raw): Meaning {
  if (source === 'SYSTEM')
    return type === 'SYSTEM_MESSAGE' && !text(content).includes('sender=system') ? 'work' : undefined
  if (type !== 'PLANNER_RESPONSE') return 'work'
  return list(tool_calls).length === 0 && text(content) !== '' ? 'answer' : 'work'
}

export function hermesMeaning({ role, finish_reason }: Raw): Meaning {
  if (role === 'user' || role === 'tool') return 'work'
  if (role !== 'assistant') return undefined
  return finish_reason === 'tool_calls' ? 'work' : 'answer'
}

/** Lines have no ids. Only a text that comes after an interruption is a part of the turn before. */
export function aiderMeaning(): (line: Raw) => Meaning {
  let turns = 0
  let isStopped = false
  return ({ text: line }) => {
    const words = text(line)
    if (words.startsWith('#### ')) {
      turns += 1
      isStopped = false
      return words.startsWith('#### /') ? undefined : 'work'
    }
    if (words.startsWith('> Tokens:')) return 'answer'
    if (words.startsWith('> ^C')) {
      isStopped = true
      return 'stop'
    }
    if (words.startsWith('> litellm.')) return 'failure'
    if (words.startsWith('> Retrying') || words.startsWith('> Attempt to fix')) return 'work'
    const isOwn = /^(?:#|>.*\s\s$|<\/|$)/.test(words)
    return isOwn || turns === 0 || isStopped ? undefined : 'work'
  }
}

/** The program ends a turn in the model's place. */
function isRefused(words: unknown): boolean {
  return text(words).startsWith('Exec ended early: ')
}

/** In a file, a reply without a call is an answer. On the stream, only its end shows that. */
export function droidMeaning({ type, role, message, reason, visibility, text: words }: Raw): Meaning {
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

/** The whole session is one message, and its last item decides. */
export function continueMeaning({ history, response, status }: Raw): Meaning {
  if (text(response) !== '') return 'answer'
  if (history === undefined) return status === 'error' ? 'failure' : undefined
  const last = list(history).at(-1)
  const { role } = raw(last?.message)
  if (role !== 'assistant') return role === undefined ? undefined : 'work'
  const states = list(last?.toolCallStates).map((state) => text(state.status))
  if (states.length === 0) return 'answer'
  const isStopped =
    states.includes('canceled') && states.every((state) => /^(?:done|errored|canceled)$/.test(state))
  return isStopped ? 'canceled' : 'work'
}
