import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import type { Approval, OpenApproval, ToolPart } from '../messages/ui-message.ts'
import type { ToolChunk } from './ui-chunk.ts'

/**
 * Returns the chunks that turn the part of a call into another one, or undefined if none do. `isInLastStep`: the
 * reader finds the input of a call in the last step alone.
 */
export function toolChunks(
  before: ToolPart | undefined,
  after: ToolPart,
  isInLastStep: boolean,
): readonly ToolChunk[] | undefined {
  if (before && 'resultProviderMetadata' in before && !('resultProviderMetadata' in after)) return undefined
  if (after.state === 'input-streaming') return streamingChunks(before, after, isInLastStep)
  const needsInput = !before || hasOtherInput(before, after) || mustReset(before, after)
  if (needsInput && !isInLastStep) return undefined
  const approval = approvalChunks(approvalOf(before), approvalOf(after), after.toolCallId)
  const known = needsInput ? undefined : before
  const end = approval && endChunks(known, after, stateAfter(approval) ?? known?.state ?? 'input-available')
  return end && [...(needsInput ? [inputChunk(after)] : []), ...approval, ...end]
}

function streamingChunks(
  before: ToolPart | undefined,
  { toolCallId, toolName, callProviderMetadata, ...after }: ToolPart & { readonly state: 'input-streaming' },
  isInLastStep: boolean,
): readonly ToolChunk[] | undefined {
  const { rawInput = '' } = after
  if (!before) {
    const start = {
      type: 'tool-input-start',
      toolCallId,
      toolName,
      dynamic: true,
      providerMetadata: callProviderMetadata,
    } as const
    return rawInput === '' ? [start] : [start, delta(toolCallId, rawInput)]
  }
  if (!isInLastStep || before.state !== 'input-streaming' || before.toolName !== toolName) return undefined
  const known = before.rawInput ?? ''
  if (!rawInput.startsWith(known) || !isEqual(before.callProviderMetadata, callProviderMetadata))
    return undefined
  return rawInput === known ? [] : [delta(toolCallId, rawInput.slice(known.length))]
}

function delta(toolCallId: string, inputTextDelta: string): ToolChunk {
  return { type: 'tool-input-delta', toolCallId, inputTextDelta }
}

function hasOtherInput(before: ToolPart, after: ToolPart): boolean {
  return (
    before.state === 'input-streaming' ||
    before.toolName !== after.toolName ||
    !isEqual(before.input, after.input) ||
    !isEqual(before.callProviderMetadata, after.callProviderMetadata)
  )
}

/** A call that waits again loses its output with its input. */
function mustReset(before: ToolPart, after: ToolPart): boolean {
  return isOutput(before) && !isOutput(after)
}

function isOutput({ state }: ToolPart): boolean {
  return state === 'output-available' || state === 'output-error'
}

function inputChunk({ toolCallId, toolName, input, callProviderMetadata }: ToolPart): ToolChunk {
  return {
    type: 'tool-input-available',
    toolCallId,
    toolName,
    input,
    dynamic: true,
    providerMetadata: callProviderMetadata,
  }
}

/** Nothing takes an approval back. */
function approvalChunks(
  before: Approval<boolean> | OpenApproval | undefined,
  after: Approval<boolean> | OpenApproval | undefined,
  toolCallId: string,
): readonly ToolChunk[] | undefined {
  if (isEqual(before, after)) return []
  if (!after || (before && ('approved' in before || before.id !== after.id))) return undefined
  const { id: approvalId } = after
  const request = { type: 'tool-approval-request', toolCallId, approvalId } as const
  const chunks: ToolChunk[] = before ? [] : [request]
  if (!('approved' in after)) return chunks
  const { approved, reason } = after
  return [...chunks, omitUndefined({ type: 'tool-approval-response', approvalId, approved, reason })]
}

function approvalOf(part: ToolPart | undefined): Approval<boolean> | OpenApproval | undefined {
  return part && 'approval' in part ? part.approval : undefined
}

/** Returns the state that the chunks lead to, if there are any. */
function stateAfter(approval: readonly ToolChunk[]): ToolPart['state'] | undefined {
  const last = approval.at(-1)
  if (!last) return undefined
  return last.type === 'tool-approval-response' ? 'approval-responded' : 'approval-requested'
}

/** Returns the chunks for the end of a call. `before` is the part with the same input, and `reached` its state after the other chunks. */
function endChunks(
  before: ToolPart | undefined,
  after: ToolPart,
  reached: ToolPart['state'],
): readonly ToolChunk[] | undefined {
  const { toolCallId, state } = after
  switch (state) {
    case 'output-available':
    case 'output-error':
      return before && reached === state && hasSameEnd(before, after) ? [] : [outputChunk(after)]
    case 'output-denied':
      return reached === state ? [] : [{ type: 'tool-output-denied', toolCallId }]
    default:
      return reached === state ? [] : undefined
  }
}

type Ended = Extract<ToolPart, { readonly state: 'output-available' | 'output-error' }>

function outputChunk(part: Ended): ToolChunk {
  const { toolCallId, resultProviderMetadata: providerMetadata } = part
  const head = { toolCallId, dynamic: true, providerMetadata } as const
  if (part.state === 'output-error')
    return omitUndefined({ type: 'tool-output-error', errorText: part.errorText, ...head })
  const { output, preliminary } = part
  return omitUndefined({ type: 'tool-output-available', output, preliminary, ...head })
}

function hasSameEnd(before: ToolPart, after: Ended): boolean {
  if (before.state === 'output-available' && after.state === 'output-available')
    return (
      before.output === after.output &&
      before.preliminary === after.preliminary &&
      isEqual(before.resultProviderMetadata, after.resultProviderMetadata)
    )
  return isEqual(before, after)
}
