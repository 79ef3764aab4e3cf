import type { Token } from 'marked'
import type { ReactNode } from 'react'
import { showDirections } from '../../redaction/printable.ts'

/** The words of a paragraph with their styles. */
export function Inline({ tokens }: { readonly tokens: readonly Token[] }): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id, and keep their places
  return tokens.map((token, at) => <Part key={at} token={token} />)
}

function Part({ token }: { readonly token: Token }): ReactNode {
  const text = 'text' in token && typeof token.text === 'string' ? token.text : token.raw
  const inner = 'tokens' in token && token.tokens ? <Inline tokens={token.tokens} /> : withCharacters(text)
  switch (token.type) {
    case 'strong':
      return <strong>{inner}</strong>
    case 'em':
      return <em>{inner}</em>
    case 'del':
      return <del>{inner}</del>
    case 'codespan':
      return <code dir="ltr">{text}</code>
    case 'br':
      return <br />
    case 'link':
      return <Address href={hrefOf(token)}>{inner}</Address>
    case 'image':
      return <Address href={hrefOf(token)}>{text === '' ? 'image' : withCharacters(text)}</Address>
    case 'checkbox':
      return null
    case 'text':
      return inner
    case 'escape':
      return text
    default:
      // HTML is shown as text.
      return token.raw
  }
}

function hrefOf(token: Token): string | undefined {
  return 'href' in token && typeof token.href === 'string' ? withCharacters(token.href) : undefined
}

const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi

/** Resolves references such as `&amp;`. The marks of directions among them stay visible. */
function withCharacters(text: string): string {
  return text.includes('&') ? showDirections(text.replace(REFERENCE, characterOf)) : text
}

/** The browser knows the names of all characters. */
function characterOf(reference: string): string {
  const field = document.createElement('textarea')
  field.innerHTML = reference
  return field.value
}

interface AddressProps {
  readonly href: string | undefined
  readonly children: ReactNode
}

/** A link that names the reader to nobody. An address that is not allowed is shown as text. */
function Address({ href, children }: AddressProps): ReactNode {
  if (!safeAddress(href)) return <span>{children}</span>
  return (
    <a href={href} rel="noopener noreferrer" target="_blank">
      {children}
    </a>
  )
}

/** Returns the address if it leads to the web or to a mail address; an empty text otherwise. */
export function safeAddress(href: string | undefined): string {
  return href !== undefined && /^(?:https?:\/\/|mailto:)/i.test(href) ? href : ''
}
