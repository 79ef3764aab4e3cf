import { isPrompt } from '../../../core/state/block.ts'
import type { UserContentPart } from '../../../core/state/content.ts'
import type { CodexContext, CodexMemory } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { TextItem } from '../items/item.ts'
import { showBufferedReport } from './history.ts'
import { completeText } from './message.ts'

// In plan mode the model proposes a plan in a message, between two tags, and the person accepts it or not. An item
// repeats the plan. Its line may be missing, and then the plan is in the model's history alone.

const PLAN = /<proposed_plan>\n?([\s\S]*?)<\/proposed_plan>/

/** Remembers a plan that an entry of the history proposes. */
export function notePlan(threadId: string, event: CodexEventOf<'message'>, memory: CodexMemory): void {
  const text = event.role === 'assistant' ? PLAN.exec(textOf(event.content))?.[1] : undefined
  if (text === undefined) return
  const id = event.id ?? `${threadId}:plan:${event.time ?? ''}`
  memory.notes.setEntry('proposedPlans', memory.threadKey(threadId), { id, text })
}

/** Shows the plan that an entry has proposed, unless the conversation has its text. */
export function showPlan(threadId: string, context: CodexContext): void {
  const plan = context.notes.values.proposedPlans.get(context.threadKey(threadId))
  if (!plan || isSaid(threadId, plan.text, context)) return
  completeText(threadId, { id: plan.id, kind: 'text', text: plan.text }, context)
}

/** Takes back the plan of an entry, because its item is there. The item is the plan of the turn. */
export function replacePlan(threadId: string, { id, text }: TextItem, context: CodexContext): void {
  // The text before the plan waits for its entry, and that entry has the plan too.
  showBufferedReport(threadId, context)
  const key = context.threadKey(threadId)
  const blockId = context.notes.values.proposedPlans.get(key)?.id
  const conversationId = context.conversationOf(threadId)
  if (blockId !== undefined && blockId !== id && context.state.findBlock(conversationId, blockId))
    context.emit({ type: 'block:removed', conversationId, blockId })
  context.notes.setEntry('proposedPlans', key, { id, text })
}

function textOf(content: readonly UserContentPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function isSaid(threadId: string, text: string, memory: CodexMemory): boolean {
  const blocks = memory.state.blocksOf(memory.conversationOf(threadId))
  return blocks
    .slice(blocks.findLastIndex(isPrompt) + 1)
    .some((block) => block.type === 'assistant_text' && block.content.includes(text.trim()))
}
