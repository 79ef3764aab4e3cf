import { contentParts, outputText, splitContext } from '../../programs/kimi/results.ts'
import { type Buffered, bufferedItems, type PersistentMap } from '../../reading/notes/persistent-map.ts'
import type { KimiEvent } from './messages.ts'

type BufferedEvents = PersistentMap<Buffered<KimiEvent>>

/** The agents with one first prompt. */
interface PromptAgents {
  /** In the order of their numbers. One that has started is removed when a later one is looked for. */
  readonly waiting: Set<string>
  lastNumber: number
}

/** The agents whose events wait, by their first prompts. A batch makes the index at the first question, because a session may have many. */
export class WaitingAgents {
  #byPrompt: Map<string, PromptAgents> | undefined

  /** Notes an event of an agent that waits. */
  note(agentId: string, event: KimiEvent, buffered: BufferedEvents): void {
    if (this.#byPrompt && event.type === 'turn.prompt') this.#add(agentId, buffered)
  }

  /** Returns the number of agents with the prompt that wait and whose numbers are lower. */
  countBefore(agentId: string, prompt: string, buffered: BufferedEvents): number {
    if (!this.#byPrompt) {
      this.#byPrompt = new Map()
      for (const each of agentsInOrder(buffered)) this.#add(each, buffered)
    }
    const waiting = this.#byPrompt.get(prompt)?.waiting ?? new Set()
    let count = 0
    for (const each of waiting) {
      if (each === agentId) break
      if (buffered.get(each) === undefined) waiting.delete(each)
      else count += 1
    }
    return count
  }

  #add(agentId: string, buffered: BufferedEvents): void {
    const prompt = firstPrompt(agentId, buffered)
    if (prompt === undefined || !this.#byPrompt) return
    const number = numberOf(agentId)
    const agents = this.#byPrompt.get(prompt)
    if (!agents) this.#byPrompt.set(prompt, { waiting: new Set([agentId]), lastNumber: number })
    else if (number >= agents.lastNumber) {
      agents.waiting.add(agentId)
      agents.lastNumber = number
    } else if (!agents.waiting.has(agentId)) {
      // It came late, so the next question makes the index again.
      this.#byPrompt = undefined
    }
  }
}

/** Returns the agents whose events wait, in the order of their starts. */
export function agentsInOrder(buffered: BufferedEvents): readonly string[] {
  return buffered
    .entries()
    .map(([agentId]) => agentId)
    .sort((left, right) => numberOf(left) - numberOf(right))
}

function numberOf(agentId: string): number {
  return Number(agentId.replace(/\D/g, ''))
}

/** Returns the first prompt among the events that wait for the start of an agent. */
export function firstPrompt(agentId: string, buffered: BufferedEvents): string | undefined {
  const events = bufferedItems(buffered.get(agentId))
  const fields = events.find(({ type }) => type === 'turn.prompt')?.fields ?? {}
  const [, parts] = splitContext(contentParts(fields.input ?? fields.prompt))
  return parts.length === 0 ? undefined : outputText(parts)
}
