import type { Place } from '../../core/selectors/forest.ts'
import { STATUS_WORDS } from '../../core/selectors/status.ts'
import type { AgentFacts } from '../../core/selectors/walk.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { agentPromptPieces, textOf } from './message.ts'
import type { SessionText, Span } from './text/session-text.ts'
import { formatDuration, plural } from './text/values.ts'

/** Returns what the agent is called for people: its description, or else its name. */
export function agentTitle({ description, name }: Pick<AgentFacts, 'description' | 'name'>): string {
  return description || name || 'Agent'
}

/** Returns one line about an agent. */
export function agentSummary(
  text: SessionText,
  { name, description, status, durationMs }: AgentFacts,
  { calls, lineage }: { readonly calls: number; readonly lineage: Place<unknown>['lineage'] },
): readonly Span[] {
  const facts = [
    STATUS_WORDS[status],
    ...(durationMs === undefined ? [] : [formatDuration(durationMs)]),
    ...(calls === 0 ? [] : [plural(calls, 'tool call')]),
    ...(lineage === 'orphan' ? ['its parent is not known'] : []),
    ...(lineage === 'cycle' ? ['it is below itself in the data'] : []),
  ]
  const about = description === undefined || description === '' ? [] : [`– ${text.short(description)}`]
  return [{ bold: `Agent ${text.short(name ?? '')}`.trim() }, ...about, `(${facts.join(', ')})`]
}

/** Returns the prompt of an agent below a label, unless its conversation has it. */
export function promptOfAgent(
  text: SessionText,
  facts: AgentFacts,
  blocks: readonly ConversationBlock[],
): readonly string[] {
  const prompt = missingPrompt(facts, blocks)
  return prompt === '' ? [] : agentPromptPieces(text, prompt)
}

/** Returns the output of an agent below a label, unless its conversation has it. */
export function outputOfAgent(
  text: SessionText,
  facts: AgentFacts,
  blocks: readonly ConversationBlock[],
): readonly string[] {
  const output = missingOutput(facts, blocks)
  return output === '' ? [] : ['**Output**', text.prose(output)]
}

/** Returns the prompt of an agent, or nothing if its conversation has it. */
export function missingPrompt({ prompt = '' }: AgentFacts, blocks: readonly ConversationBlock[]): string {
  const words = prompt.trim()
  const isShown = blocks.some(
    (block) => block.type === 'user_message' && textOf(block.content).trim() === words,
  )
  return isShown ? '' : words
}

/** Returns the output of an agent, or nothing if its conversation has it. */
export function missingOutput({ output = '' }: AgentFacts, blocks: readonly ConversationBlock[]): string {
  const words = output.trim()
  const isShown = blocks.some((block) => block.type === 'assistant_text' && block.content.trim() === words)
  return isShown ? '' : words
}
