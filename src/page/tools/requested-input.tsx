import { findSubagent } from 'agentfold'
import { type Selector, useSession, useToolCall } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import type { RequestBlock } from '../../core/state/block.ts'
import { toolKind } from '../../programs/tool-kind.ts'
import { ToolInput } from './tool-input.tsx'

interface RequestedInputProps {
  readonly conversationId: string
  readonly block: RequestBlock
}

/**
 * All that runs if the person allows it: the input of the call, the prompt of the agent, or else the facts of the
 * request. Its title may be the model's own words.
 */
export function RequestedInput({ conversationId, block }: RequestedInputProps): ReactNode {
  const { toolUseId = '', data } = block
  const { call, input } = useToolCall(conversationId, toolUseId) ?? {}
  const select = useMemo<Selector<string | undefined>>(
    () => (state) => findSubagent(state, toolUseId)?.prompt,
    [toolUseId],
  )
  const prompt = useSession(select)
  if (call)
    return <ToolInput input={input} kind={toolKind(call.toolName)} hasChanges={false} isDone={false} />
  return (
    <ToolInput
      input={prompt === undefined ? data : { prompt }}
      kind="other"
      hasChanges={false}
      isDone={false}
    />
  )
}
