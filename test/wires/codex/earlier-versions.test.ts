import { describe, expect, it } from 'vitest'
import { ofType } from '../recordings.ts'
import { ended, entry, event, head, readLines, started } from './made-lines.ts'

const search = (fields: object) => entry({ type: 'web_search_call', status: 'completed', ...fields })

describe('a search', () => {
  it('is complete with its entry, which may have no id', () => {
    const { state, issues } = readLines(
      head,
      started,
      search({ id: 'ws', action: { type: 'search', query: 'cats' } }),
      search({ action: { type: 'search', queries: ['dogs', 'birds'] } }),
      ended,
    )
    expect(issues).toEqual([])
    expect(ofType(state, 'tool_use').map(({ input, status }) => [input, status])).toEqual([
      [{ query: 'cats' }, 'complete'],
      [{ query: 'dogs' }, 'complete'],
    ])
    expect(ofType(state, 'tool_result')).toHaveLength(2)
  })

  it('is one, if an event has reported it', () => {
    const action = { type: 'search', query: 'cats' }
    const { state } = readLines(
      head,
      started,
      event({ type: 'web_search_end', call_id: 'ws', query: 'cats', action }),
      search({ action }),
      search({ action: { type: 'search', query: 'dogs' } }),
      ended,
    )
    expect(ofType(state, 'tool_use').map(({ input }) => input)).toEqual([
      { query: 'cats' },
      { query: 'dogs' },
    ])
  })
})

it('an image that the model has made is the result of its call', () => {
  const { state } = readLines(
    head,
    started,
    entry({
      type: 'image_generation_call',
      id: 'ig',
      status: 'completed',
      revised_prompt: 'a cat',
      result: 'AA==',
    }),
    ended,
  )
  expect(ofType(state, 'tool_use')).toMatchObject([
    { toolName: 'image_generation', input: { prompt: 'a cat' } },
  ])
  expect(ofType(state, 'tool_result')).toMatchObject([{ output: 'AA==', isError: false }])
})
