import { expect, it } from 'vitest'
import { modelAnswers, modelSays, readFiles, userMessage } from '../messages.ts'

const main = [userMessage('Go.'), modelAnswers('m1', 'Done.')]

// Its file lies beside those of the session's agents, and nothing states its end.
it.each(['acompact-839d2f', 'aprompt_suggestion-1b2c3d', 'aside_question-4e5f'])(
  'an agent of the program itself is ignored: %s',
  (id) => {
    const lines = [userMessage('Create a summary.'), modelSays('s1', 'Summary.')]
    const { state, ending, issues } = readFiles(main, { [id]: { lines, meta: { agentType: 'compact' } } })
    expect(state.subagents).toEqual([])
    expect(state.blocks).toHaveLength(2)
    expect(ending).toBe('finished')
    expect(issues).toEqual([])
  },
)
