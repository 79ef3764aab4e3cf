import { findConversation, type SessionConversationState } from 'agentfold'
import { type Selector, useBlock, useSession, useToolCall } from 'agentfold/react'
import { toolResultBlockId } from 'agentfold/source-kit'
import { type ReactNode, useCallback, useMemo } from 'react'
import { timeInMs } from '../../core/json/lists.ts'
import { callStatus, isCutCall } from '../../core/selectors/call-input.ts'
import type { ShownStatus } from '../../core/selectors/status.ts'
import { planInInput } from '../../core/selectors/todos.ts'
import type { RequestBlock, ToolResultBlock, ToolUseBlock } from '../../core/state/block.ts'
import { mcpTool, type ToolKind, toolKind } from '../../programs/tool-kind.ts'
import { formatDuration } from '../../sinks/markdown/text/values.ts'
import { BlockFrame } from '../blocks/block-frame.tsx'
import { RequestsOfCall } from '../blocks/requests-of-call.tsx'
import { Details } from '../rows/details.tsx'
import { rowKey } from '../rows/row.ts'
import { useAgentNames } from '../session/agent-title.ts'
import { Counted } from '../session/counted.tsx'
import { StatusMark } from '../session/status-mark.tsx'
import { usePath } from '../session/use-path.ts'
import { When } from '../text/when.tsx'
import { Elapsed } from '../time/elapsed.tsx'
import { isSmall } from './changes.tsx'
import { deniedCalls } from './denied-calls.ts'
import { outputText } from './output.ts'
import { toolHint } from './tool-hint.ts'
import { StreamedInput, ToolInput } from './tool-input.tsx'
import { ResultPreview, ToolResult } from './tool-result.tsx'

/** Marks that are read at a glance. The name of the tool is beside them. */
const MARKS: Readonly<Record<ToolKind, string>> = {
  command: '$',
  read: '≡',
  edit: '±',
  search: '⌕',
  web: '↗',
  mcp: '⧉',
  agent: '@',
  plan: '☑',
  other: '·',
}

/** A call with its result, which may come later in the conversation. The input grows while it streams. */
export function ToolCall({ block }: { readonly block: ToolUseBlock }): ReactNode {
  const { conversationId, toolName, toolUseId, status, timestamp } = block
  const { input, request } = useToolCall(conversationId, toolUseId) ?? {}
  const result = useResult(block)
  const duration = result?.durationMs ?? timeBetween(timestamp, result?.timestamp)
  const hint = usePath(toolHint(input))
  const kind = toolKind(toolName)
  const shownStatus = useShownStatus(block, request, result)
  const opening = openingOf(shownStatus, request, result, kind)
  const mcp = mcpTool(toolName)
  const agents = useAgentNames(input)
  // The entries of a plan, or the agents' own conversations, say more than the tool's answer.
  const isSelfEvident = planInInput(input) !== undefined || agents !== ''
  return (
    <BlockFrame block={block} label={`Tool ${toolName}`} kind={kind} isSmall={isSmallCall(input, result)}>
      <Details
        key={opening}
        id={rowKey(conversationId, block.id)}
        isOpenByDefault={opening !== 'closed'}
        summary={
          <>
            <Counted block={block}>
              <span className="tool-mark" data-mark={MARKS[kind]} aria-hidden="true" />
              <span className="summary-name">{mcp ? `${mcp.server} › ${mcp.tool}` : toolName}</span>
              <code className="preview">{agents || hint}</code>
              <When timestamp={timestamp} />
              {status === 'pending' ? (
                <Elapsed since={timestamp} />
              ) : (
                duration >= 1 && <span className="further">{formatDuration(duration)}</span>
              )}
              {shownStatus !== 'complete' && <StatusMark status={shownStatus} />}
            </Counted>
            {block.inputText !== undefined && status === 'pending' && <StreamedInput input={input} />}
            {result && (result.isError || !isSelfEvident) && <ResultPreview block={result} />}
          </>
        }
      >
        {() => (
          <>
            <ToolInput
              input={input}
              kind={kind}
              hasChanges={result?.changes !== undefined}
              isDone={shownStatus === 'complete'}
            />
            {result && <ToolResult block={result} kind={kind} />}
          </>
        )}
      </Details>
      <RequestsOfCall conversationId={conversationId} toolUseId={toolUseId} />
    </BlockFrame>
  )
}

/** Whether a page of paper has room for the whole call. */
function isSmallCall(input: unknown, result: ToolResultBlock | undefined): boolean {
  if (!result) return false
  const { changes, output } = result
  const text = changes
    ? changes.flatMap(({ hunks = [] }) => hunks.flatMap(({ lines }) => lines)).join('\n')
    : [outputText(output), ...Object.values(Object(input))].join('\n')
  return text.length < SMALL_LENGTH && text.split('\n').length < SMALL_LINES
}

const SMALL_LENGTH = 1000
const SMALL_LINES = 16

/** Returns why the call is open at first: a person must see what runs, what failed, and what changed. */
function openingOf(
  status: ShownStatus,
  request: RequestBlock | undefined,
  result: ToolResultBlock | undefined,
  kind: ToolKind,
): 'waiting' | 'failed' | 'changed' | 'closed' {
  if (request?.kind === 'permission') return 'waiting'
  // The request says that it was refused.
  if (status === 'denied') return 'closed'
  if (result?.isError && kind !== 'plan') return 'failed'
  return isSmall(result?.changes) ? 'changed' : 'closed'
}

function useShownStatus(
  block: ToolUseBlock,
  request: RequestBlock | undefined,
  result: ToolResultBlock | undefined,
): ShownStatus {
  const { conversationId, toolUseId } = block
  const select = useMemo<Selector<boolean>>(
    () => (state) => deniedCalls(findConversation(state, conversationId)?.blocks ?? []).has(toolUseId),
    [conversationId, toolUseId],
  )
  const isDenied = useSession(select)
  const isCut = useSession(useCallback((state: SessionConversationState) => isCutCall(state, block), [block]))
  return callStatus(block, {
    isWaiting: request !== undefined,
    isDenied,
    isFailed: result?.isError === true,
    isCut,
  })
}

/** A shorter time between two lines of a file says nothing about the tool. In ms. */
const SHORT = 1000

/** Returns the time from the call to its result, or 0 if it is short or not known. */
function timeBetween(start: string | undefined, end: string | undefined): number {
  const passed = timeInMs(end) - timeInMs(start)
  return passed >= SHORT ? passed : 0
}

/** Returns the result that belongs to the call by its id. Other results of the call have rows of their own. */
function useResult({ conversationId, toolUseId }: ToolUseBlock): ToolResultBlock | undefined {
  const block = useBlock(conversationId, toolResultBlockId(toolUseId))
  return block?.type === 'tool_result' && block.toolUseId === toolUseId ? block : undefined
}
