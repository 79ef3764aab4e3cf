import { addToList } from '../../core/json/lists.ts'
import { contentParts, outputText, splitContext } from '../../programs/kimi/results.ts'
import { type Buffered, bufferedItems, type PersistentMap } from '../../reading/notes/persistent-map.ts'
import type { KimiEvent } from './messages.ts'

type BufferedEvents = PersistentMap<Buffered<KimiEvent>>

/** The agents whose events wait, by their first prompts. A batch makes the index at the first question, because a session may have many. */
export class WaitingAgents {
  #byPrompt: Map<string, string[]> | undefined

  /** Notes an event of an agent that waits. */
  note(agentId: string, event: KimiEvent, buffered: BufferedEvents): void {
    if (this.#byPrompt && event.type === 'turn.prompt') this.#add(agentId, buffered)
  }

  /** Returns the agents with the prompt that still wait. */
  withPrompt(prompt: string, buffered: BufferedEvents): readonly string[] {
    if (!this.#byPrompt) {
      this.#byPrompt = new Map()
      for (const [agentId] of buffered.entries()) this.#add(agentId, buffered)
    }
    return (this.#byPrompt.get(prompt) ?? []).filter((agentId) => buffered.get(agentId) !== undefined)
  }

  #add(agentId: string, buffered: BufferedEvents): void {
    const prompt = firstPrompt(agentId, buffered)
    if (prompt === undefined || !this.#byPrompt || this.#byPrompt.get(prompt)?.includes(agentId)) return
    addToList(this.#byPrompt, prompt, agentId)
  }
}

/** Returns the first prompt among the events that wait for the start of an agent. */
export function firstPrompt(agentId: string, buffered: BufferedEvents): string | undefined {
  const events = bufferedItems(buffered.get(agentId))
  const fields = events.find(({ type }) => type === 'turn.prompt')?.fields ?? {}
  const [, parts] = splitContext(contentParts(fields.input ?? fields.prompt))
  return parts.length === 0 ? undefined : outputText(parts)
}
