import { type ConversationBlock, findConversation, partialInput } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import { isSameList } from '../../core/selectors/memoize.ts'
import { lastLine } from '../blocks/one-line.ts'
import { Elapsed } from '../time/elapsed.tsx'
import { toolHint } from '../tools/tool-hint.ts'
import { agentTitle } from './agent-title.ts'
import { usePath } from './use-path.ts'

/** What a running agent does now: its last call or text, and since when. */
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

/** Returns the tool, what it works on or the end of a text, and the time when that began. */
function doingIn(blocks: readonly ConversationBlock[]): readonly (string | undefined)[] {
  const last = blocks.findLast(
    ({ type }) =>
      type === 'tool_use' || type === 'subagent' || type === 'assistant_text' || type === 'thinking',
  )
  if (last?.type === 'tool_use') return [last.toolName, toolHint(partialInput(last)), last.timestamp]
  if (last?.type === 'subagent') return ['Agent', agentTitle({ ...last, prompt: last.input }), last.timestamp]
  return last && 'content' in last && typeof last.content === 'string'
    ? ['', lastLine(last.content), last.timestamp]
    : []
}
