import type { RequestAnswer } from 'agentfold'
import { type Context, createContext, type Provider, type ReactNode, useContext, useState } from 'react'
import type { RequestBlock } from '../../core/state/block.ts'
import type { RequestOption } from '../../core/state/request.ts'

/** Sends the answer of the person to the program. The page shows it when the program reports it. */
export type OnAnswer = (requestId: string, answer: RequestAnswer) => void

export const AnswerContext: Context<OnAnswer | undefined> = createContext<OnAnswer | undefined>(undefined)

export const AnswerProvider: Provider<OnAnswer | undefined> = AnswerContext.Provider

/** Returns the buttons of an open request, if the host of the page answers it and one press is a whole answer. */
export function useAnswers(block: RequestBlock): readonly Answer[] {
  const onAnswer = useContext(AnswerContext)
  const { id, kind, status, options = [], questions = [] } = block
  if (!onAnswer || status !== 'pending') return []
  if (kind === 'permission') return options.map((option) => ({ option, send: () => onAnswer(id, option.id) }))
  const [question, ...others] = questions
  if (!question || question.multiple || others.length > 0) return []
  return question.options.map((option) => ({ option, send: () => onAnswer(id, [[option.label]]) }))
}

interface Answer {
  readonly option: RequestOption
  readonly send: () => void
}

/** A button for each answer. The last press is marked until the program reports the answer: it may not have arrived. */
export function Answers({ answers }: { readonly answers: readonly Answer[] }): ReactNode {
  const [sentId, setSentId] = useState<string>()
  return (
    <>
      <div className="answers">
        {answers.map(({ option: { id, label, description }, send }) => (
          <button
            key={id}
            type="button"
            title={description}
            aria-pressed={id === sentId}
            onClick={() => {
              setSentId(id)
              send()
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <p className="note" role="status">
        {sentId !== undefined && 'The answer is sent.'}
      </p>
    </>
  )
}
