import type { ReactNode } from 'react'
import { formatCost } from '../../sinks/markdown/text/values.ts'
import { Details } from '../rows/details.tsx'
import { useNavigator } from '../rows/navigator.tsx'
import { agentCosts, isPriced } from './agent-costs.ts'
import { useCalm } from './use-calm.ts'

/** More agents are in the list beside the conversation. */
const MOST_AGENTS = 20

/** The cost of each agent, the dearest first, or its share where no cost is known. Empty without agents or without tokens. */
export function CostByAgent(): ReactNode {
  const costs = useCalm(agentCosts).filter(({ part }) => part > 0)
  const navigator = useNavigator()
  if (costs.length < 2) return null
  return (
    <div className="cost-by-agent">
      <Details
        id="cost by agent"
        summary={
          <>
            <span className="summary-name">{isPriced(costs) ? 'Cost' : 'Share'} by agent</span>
            <span className="preview">
              {costs
                .slice(0, 3)
                .map(({ title, part }) => `${title} ${percentText(part)}`)
                .join(' · ')}
            </span>
          </>
        }
      >
        {() => (
          <table>
            <tbody>
              {costs.slice(0, MOST_AGENTS).map(({ id, title, part, usd }) => (
                <tr key={id}>
                  <th scope="row">
                    <button type="button" className="more" onClick={() => navigator.goToAgent(id)}>
                      <bdi>{title}</bdi>
                    </button>
                  </th>
                  <td className="cost-bar" aria-hidden="true">
                    <span style={{ width: `${part * 100}%` }} />
                  </td>
                  <td>{percentText(part)}</td>
                  {usd !== undefined && <td>{formatCost(usd)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Details>
    </div>
  )
}

function percentText(part: number): string {
  return part < 0.01 ? '<1 %' : `${Math.round(part * 100)} %`
}
