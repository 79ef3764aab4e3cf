import { describe, expect, it } from 'vitest'
import { ofType } from '../recordings.ts'
import {
  beginTurn,
  ended,
  endTurn,
  entry,
  event,
  head,
  item,
  note,
  readLines,
  started,
} from './made-lines.ts'

const live = (...messages: readonly unknown[]) => readLines(...beginTurn, ...messages, endTurn())
const stored = (...lines: readonly unknown[]) => readLines(head, started, ...lines, ended)
const issuesOf = ({ issues }: ReturnType<typeof live>) =>
  issues.map(({ code, messageType }) => `${code} ${messageType}`)

// The message of the error took the place of the whole content.
it('a failed call of an MCP tool keeps the image of its result', () => {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
  const outputOf = (content: readonly object[], message: string) => {
    const fields = {
      type: 'mcpToolCall',
      id: 't',
      server: 's',
      tool: 'look',
      arguments: {},
      status: 'failed',
    }
    const { state } = live(item({ ...fields, result: { content }, error: { message } }))
    return ofType(state, 'tool_result').map(({ output, isError }) => [output, isError])
  }
  const shown = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } }
  const text = { type: 'text', text: 'No door.' }
  expect(outputOf([text, image], 'No door.')).toEqual([[[text, shown], true]])
  expect(outputOf([image], 'No door.')).toEqual([[[text, shown], true]])
  expect(outputOf([text], 'The tool says: No door.')).toEqual([['The tool says: No door.', true]])
})

describe('content that no block can show is an issue', () => {
  it.each([
    'exec_command_end',
    'patch_apply_end',
    'mcp_tool_call_end',
    'web_search_end',
    'view_image_tool_call',
  ])('the end of a call without the id of the call: %s', (type) => {
    expect(issuesOf(stored(event({ type })))).toEqual([`unknown-block event_msg/${type}`])
  })

  it('the output of a call without the id of the call', () => {
    const read = stored(entry({ type: 'function_call_output', output: 'two' }))
    expect(issuesOf(read)).toEqual(['unknown-block response_item/function_call_output'])
  })

  it('a part of a prompt or of an answer, beside the other parts', () => {
    const content = [
      { type: 'text', text: 'Listen.' },
      { type: 'audio', data: 'AA==' },
    ]
    const read = live(
      item({ type: 'userMessage', id: 'u', content }, 'item/started'),
      item({ type: 'userMessage', id: 'u', content }),
      item({ type: 'agentMessage', id: 'a', content: [{ type: 'smell' }, { type: 'Text' }] }),
    )
    expect(issuesOf(read)).toEqual(['unknown-block user/audio', 'unknown-block assistant/smell'])
    expect(ofType(read.state, 'user_message').map((block) => block.content)).toEqual(['Listen.'])
  })

  it('a delta without the id of its item, and a plan that is no list', () => {
    const read = live(
      note('item/agentMessage/delta', { delta: 'lost' }),
      note('turn/plan/updated', { plan: 1 }),
    )
    expect(issuesOf(read)).toEqual(['unknown-block delta/text', 'unknown-block turn/plan/updated'])
    const exec = readLines(
      { type: 'thread.started', thread_id: 't' },
      { type: 'item.completed', item: { id: 'item_0', type: 'todo_list' } },
    )
    expect(issuesOf(exec)).toEqual(['unknown-block item/todo_list'])
  })

  it('a message about items of a later version, but no message without content', () => {
    const read = live(
      note('item/teapot/delta', { itemId: 't', delta: 'lost' }),
      note('item/mcpToolCall/progress', { itemId: 't', message: 'half' }),
      note('thread/teapot/updated', {}),
    )
    expect(issuesOf(read)).toEqual(['unknown-block item/teapot/delta'])
  })
})
