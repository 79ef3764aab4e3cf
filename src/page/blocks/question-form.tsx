import { type ReactNode, useContext, useId, useState } from 'react'
import type { RequestBlock } from '../../core/state/block.ts'
import type { RequestQuestion } from '../../core/state/request.ts'
import { AnswerContext } from './answer.tsx'

/**
 * Returns the questions of an open request that one press cannot answer, and the function that sends the answer.
 * Undefined without a host that answers.
 */
export function useQuestions(block: RequestBlock): QuestionFormProps | undefined {
  const onAnswer = useContext(AnswerContext)
  const { id, kind, status, questions = [] } = block
  const [first, ...others] = questions
  const needsForm = others.length > 0 || first?.multiple === true
  if (!onAnswer || status !== 'pending' || kind !== 'question' || !needsForm) return undefined
  // A question without options is answered in the person's own words, in the program.
  if (questions.some(({ options }) => options.length === 0)) return undefined
  return { questions, send: (answer) => onAnswer(id, answer) }
}

interface QuestionFormProps {
  readonly questions: readonly RequestQuestion[]
  readonly send: (answer: readonly (readonly string[])[]) => void
}

/** The questions with their options. The answer has a choice for each of them. */
export function QuestionForm({ questions, send }: QuestionFormProps): ReactNode {
  const [chosen, setChosen] = useState<readonly (readonly string[])[]>(questions.map(() => []))
  const [isSent, setIsSent] = useState(false)
  const isWhole = chosen.every((labels) => labels.length > 0)
  const choose = (at: number, labels: readonly string[]): void => {
    setChosen(chosen.map((each, place) => (place === at ? labels : each)))
    setIsSent(false)
  }
  return (
    <>
      {questions.map((question, at) => (
        <Question
          // biome-ignore lint/suspicious/noArrayIndexKey: questions have no id, and keep their places
          key={at}
          question={question}
          chosen={chosen[at] ?? []}
          onChoose={(labels) => choose(at, labels)}
        />
      ))}
      <div className="answers">
        <button
          type="button"
          disabled={!isWhole}
          onClick={() => {
            setIsSent(true)
            send(chosen)
          }}
        >
          Send the answer
        </button>
      </div>
      <p className="note" role="status">
        {isSent && 'The answer is sent.'}
      </p>
    </>
  )
}

interface QuestionProps {
  readonly question: RequestQuestion
  readonly chosen: readonly string[]
  readonly onChoose: (labels: readonly string[]) => void
}

function Question({ question, chosen, onChoose }: QuestionProps): ReactNode {
  const name = useId()
  const { text, options, multiple = false } = question
  const toggle = (label: string): void => {
    const others = multiple ? chosen.filter((each) => each !== label) : []
    onChoose(chosen.includes(label) ? others : [...others, label])
  }
  return (
    <fieldset className="question-choices">
      <legend>{text}</legend>
      {options.map(({ id, label, description }) => (
        <label key={id}>
          <input
            type={multiple ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.includes(label)}
            onChange={() => toggle(label)}
          />{' '}
          {label}
          {description !== undefined && <span className="note"> {description}</span>}
        </label>
      ))}
    </fieldset>
  )
}
