import { assertNever } from '../../core/json/values.ts'
import { isCutCall } from '../../core/selectors/call-input.ts'
import { STATUS_WORDS } from '../../core/selectors/status.ts'
import { ownUsage, sumUsage, type UsageSum } from '../../core/selectors/usage.ts'
import {
  type AgentFacts,
  factsOfAgent,
  factsOfBlock,
  type WalkedAgent,
  type WalkStep,
  walkConversation,
} from '../../core/selectors/walk.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { missingOutput, missingPrompt } from '../../sinks/markdown/agent.ts'
import { formatDuration, plural } from '../../sinks/markdown/text/values.ts'
import { STATUS_COLOURS } from '../terminal/style.ts'
import { tokensText } from '../terminal/text.ts'
import { hang, wrapWords } from '../terminal/wrap.ts'
import { otherModel } from '../tree-text.ts'
import { agentPromptLines, blockLines } from './block.ts'
import { callLines, resultLines } from './call.ts'
import { Margins } from './margins.ts'
import { proseLines, todoLines } from './text-lines.ts'
import type { View } from './view.ts'

/** Yields the lines of a conversation with its agents at their places. Two parts have a blank line between them. */
export function* conversationLines(
  view: View,
  state: SessionConversationState,
  { conversationId, columns }: { readonly conversationId: string; readonly columns: number },
): Generator<string, void> {
  const margins = new Margins(view, columns)
  for (const step of walkConversation(state, conversationId)) {
    if (step.type === 'agent-end' || step.type === 'branch-end') {
      yield* margins.part(endLines(view, step, margins.width))
      margins.close()
      continue
    }
    yield* margins.part(stepLines(view, state, step, margins), isCompact(step))
    if (step.type !== 'agent' && step.type !== 'branch') continue
    margins.open()
    for (const part of startParts(view, step, margins.width)) yield* margins.part(part)
  }
}

/** Whether the step is an action rather than words of a conversation. */
export function isCompact(step: WalkStep): boolean {
  if (step.type === 'call') return true
  return step.type === 'block' && (step.block.type === 'system' || 'origin' in step.block)
}

/** Returns the lines of one step. */
export function stepLines(
  view: View,
  state: SessionConversationState,
  step: Exclude<WalkStep, { readonly type: 'agent-end' | 'branch-end' }>,
  { width, depth, isTooDeep }: Pick<Margins, 'width' | 'depth' | 'isTooDeep'>,
): readonly string[] {
  switch (step.type) {
    case 'block':
      return blockLines(view, step.block, { isMain: step.isMain, width })
    case 'call':
      return callLines(view, { ...step, isCut: isCutCall(state, step.call) }, width)
    case 'result':
      return resultLines(view, step.result, width)
    case 'agent':
      return agentLines(
        view,
        factsOfAgent(step),
        { ...noteOf(step, state), ...(isTooDeep && { depth: depth + 1 }) },
        width,
      )
    case 'agent-block':
      return agentBlockLines(view, step, width)
    case 'branch':
      return wrapWords(
        view.paint(`⎇ Abandoned branch (${plural(step.branch.blocks.length, 'block')})`, 'dim'),
        width,
      )
    default:
      return assertNever(step)
  }
}

function noteOf(
  { agent, lineage }: WalkedAgent,
  state: SessionConversationState,
): Parameters<typeof agentLines>[2] {
  const parent = state.subagents.find(({ toolUseId }) => toolUseId === agent.parentConversationId) ?? state
  return {
    model: otherModel(agent.usage, state),
    calls: agent.blocks.filter(({ type }) => type === 'tool_use').length,
    usage: sumUsage(ownUsage(agent.usage, parent.usage)),
    lineage,
  }
}

/** Returns the parts between an agent's line and its conversation. */
function startParts(
  view: View,
  step: Extract<WalkStep, { readonly type: 'agent' | 'branch' }>,
  width: number,
): readonly (readonly string[])[] {
  if (step.type === 'branch') return []
  const prompt = missingPrompt(factsOfAgent(step), step.agent.blocks)
  return prompt === '' ? [] : [agentPromptLines(view, prompt, width)]
}

/** Returns the lines between an agent's conversation and its end. */
function endLines(
  view: View,
  step: Extract<WalkStep, { readonly type: 'agent-end' | 'branch-end' }>,
  width: number,
): readonly string[] {
  if (step.type === 'branch-end') return []
  const output = missingOutput(factsOfAgent(step), step.agent.blocks)
  const { todos = [] } = step.agent
  return [...todoLines(view, todos, width), ...(output === '' ? [] : proseLines(view, output, width))]
}

/** Returns the block of an agent whose conversation is elsewhere, or not known. */
function agentBlockLines(
  view: View,
  { block, isElsewhere }: Extract<WalkStep, { readonly type: 'agent-block' }>,
  width: number,
): readonly string[] {
  const facts = factsOfBlock(block)
  const head = agentLines(view, facts, { calls: 0, lineage: 'child' }, width)
  if (isElsewhere)
    return [
      ...head,
      ...wrapWords(view.paint('  Its conversation is elsewhere in this session.', 'dim'), width),
    ]
  const prompt = missingPrompt(facts, [])
  const output = missingOutput(facts, [])
  const body = [
    ...(prompt === '' ? [] : agentPromptLines(view, prompt, width - 2)),
    ...(prompt === '' || output === '' ? [] : ['']),
    ...(output === '' ? [] : proseLines(view, output, width - 2)),
  ]
  return [...head, ...body.map((line) => (line === '' ? '' : `  ${line}`))]
}

/** The counts in a line about an agent, besides its facts. */
interface AgentNote {
  /** The agent's model, if it is not that of the session. */
  readonly model?: string | undefined
  readonly calls: number
  readonly usage?: UsageSum | undefined
  readonly lineage: WalkedAgent['lineage']
  readonly depth?: number
}

/** Returns the lines about an agent above its conversation. */
export function agentLines(
  { text, paint }: View,
  { name = '', description = '', status, durationMs }: AgentFacts,
  { model = '', calls, usage, lineage, depth }: AgentNote,
  width: number,
): readonly string[] {
  const facts = [
    paint(STATUS_WORDS[status], STATUS_COLOURS[status]),
    text.short(model),
    durationMs === undefined ? '' : formatDuration(durationMs),
    calls === 0 ? '' : plural(calls, 'tool call'),
    (usage && tokensText(usage)) ?? '',
    lineage === 'orphan' ? 'its parent is not known' : '',
    lineage === 'cycle' ? 'it is below itself in the data' : '',
    depth === undefined ? '' : `level ${depth}`,
  ].filter((fact) => fact !== '')
  const title = [paint(`Agent ${text.short(name)}`.trim(), 'bold'), text.short(description, 200)]
  const words = `${title.filter((part) => part !== '').join(' – ')} ${paint('·', 'dim')} ${facts.join(paint(' · ', 'dim'))}`
  return hang(paint('◆ ', STATUS_COLOURS[status], 'bold'), wrapWords(words, width - 2))
}
