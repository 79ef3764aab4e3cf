import type { FileSource, UserContentPart } from 'agentfold'
import type { ReactNode } from 'react'
import { Markdown, safeAddress } from '../text/markdown.tsx'

/** A part of a message: text, an image or a file. */
export function ContentPart({ part }: { readonly part: UserContentPart }): ReactNode {
  if (part.type === 'text')
    return (
      <div className="prompt">
        <Markdown text={part.text} field="content" />
      </div>
    )
  const { source } = part
  if (part.type === 'image' && source.type === 'base64') return <InlineImage {...source} />
  return <FileName name={part.type === 'file' && part.name ? part.name : part.type} source={source} />
}

/** An image with its data. */
export function InlineImage({
  mediaType,
  data,
}: {
  readonly mediaType: string
  readonly data: string
}): ReactNode {
  // Another type, such as SVG, may hold anything.
  if (!/^image\/(?:png|jpe?g|gif|webp|avif)$/.test(mediaType))
    return <span className="file">{mediaType}</span>
  return <img className="image" src={`data:${mediaType};base64,${data}`} alt={`Attached, ${mediaType}`} />
}

/** Shows a link to a remote file and does not load it: a request would reveal the reader to that server. */
function FileName({ name, source }: { readonly name: string; readonly source: FileSource }): ReactNode {
  if (source.type === 'url' && safeAddress(source.url))
    return (
      <a className="file" href={source.url} rel="noopener noreferrer" target="_blank">
        {name}
      </a>
    )
  return <span className="file">{name}</span>
}
