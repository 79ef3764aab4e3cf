import { type AgentNode, totalTokens } from 'agentfold'
import { buildAgentTree, createAgentRegistry } from 'agentfold/lineage'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

/** Shows the agents as a tree. The gateway sends its registry after each change. */
function Agents() {
  const [registry, setRegistry] = useState(createAgentRegistry)
  useEffect(() => {
    const source = new EventSource('/registry')
    source.onmessage = ({ data }) => setRegistry(JSON.parse(data))
    return () => source.close()
  }, [])
  return <Tree nodes={buildAgentTree(registry)} />
}

/** The tokens of an agent with all agents below it. */
const tokensOf = (node: AgentNode) => {
  const { inputTokens = 0, outputTokens = 0 } = totalTokens(node)
  return `${inputTokens} tokens in, ${outputTokens} out`
}

const Tree = ({ nodes }: { readonly nodes: readonly AgentNode[] }) => (
  <ul>
    {nodes.map((node) => (
      <li key={node.conversationId}>
        {node.name} ({node.lineage}): {node.status}, {tokensOf(node)}
        {node.children.length > 0 && <Tree nodes={node.children} />}
      </li>
    ))}
  </ul>
)

createRoot(document.body).render(<Agents />)
