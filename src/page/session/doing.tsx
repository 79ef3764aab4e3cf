import { type ConversationBlock, findConversation, partialInput } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import { isSameList } from '../../core/selectors/memoize.ts'
import { lastLine } from '../blocks/one-line.ts'
import { Elapsed } from '../time/elapsed.tsx'
import { toolHint } from '../tools/tool-hint.ts'
import { agentTitle } from './agent-title.ts'
import { usePath } from './use-path.ts'

/** The work of a running agent: its last call or text, and since when. */
export function Doing({ conversationId }: { readonly conversationId: string }): ReactNode {
  const select = useMemo<Selector<readonly (string | undefined)[]>>(
    () => (state) => doingIn(findConversation(state, conversationId)?.blocks ?? []),
    [conversationId],
  )
  const [tool = '', text = '', since] = useSession(select, isSameList)
  const shown = usePath(text)
  if (tool + shown === '') return null
  return (
    <span className="doing">
      <span className="preview">{tool === '' ? shown : `${tool} ${shown}`}</span>
      <Elapsed since={since} />
    </span>
  )
}

/** Returns the tool, what it works on or the end of a text, and the time when that began. A call or an agent that is done runs no more. */
function doingIn(blocks: readonly ConversationBlock[]): readonly (string | undefined)[] {
  const last = blocks.at(-1)
  const running = blocks.findLast(isRunning) ?? (last && isText(last) ? last : undefined)
  if (running?.type === 'tool_use')
    return [running.toolName, toolHint(partialInput(running)), running.timestamp]
  if (running?.type === 'subagent') {
    const others = blocks.filter((block) => block.type === 'subagent' && isRunning(block)).length - 1
    const title = agentTitle({ ...running, prompt: running.input })
    return ['Agent', others > 0 ? `${title}, and ${others} more` : title, running.timestamp]
  }
  return running && 'content' in running && typeof running.content === 'string'
    ? ['', lastLine(running.content), running.timestamp]
    : []
}

function isRunning({ type, status }: ConversationBlock): boolean {
  return status === 'running' || (status === 'pending' && (type === 'tool_use' || isText({ type })))
}

function isText({ type }: Pick<ConversationBlock, 'type'>): boolean {
  return type === 'assistant_text' || type === 'thinking'
}
