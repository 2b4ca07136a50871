import { useId, useState, type KeyboardEvent } from 'react'
import { OptionList, type Option } from './option-list.tsx'
import { useOptions } from './use-options.ts'

type Props = {
  label: string
  placeholder: string
  /** The maximum number of options that `find` returns. If it returns that many, there may be more. */
  optionsMax: number
  find: (search: string, signal: AbortSignal) => Promise<Option[]>
  onChoose: (value: string) => void
}

/**
 * An editable combobox with a list of matches, as in the ARIA Authoring Practices. If no option is marked, Enter accepts the
 * typed text.
 */
export function Combobox({ label, placeholder, optionsMax, find, onChoose }: Props) {
  const id = useId()
  const [text, setText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const [marked, setMarked] = useState(-1)
  const { options, isLoading, failure } = useOptions(isOpen, text, find)
  const choose = (value: string) => {
    onChoose(value)
    setText('')
    setMarked(-1)
    // Close the list, because it would cover the elements below. The input keeps the focus for the next value.
    setIsOpen(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setIsOpen(true)
      setMarked(Math.min(Math.max(marked + step, -1), options.length - 1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const value = options[marked]?.value ?? text.trim()
      if (value !== '') choose(value)
    } else if (event.key === 'Escape') setIsOpen(false)
  }
  return (
    <div className="combobox">
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && marked >= 0 ? `${id}-${marked}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={text}
        onFocus={() => setIsOpen(true)}
        onClick={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.target.value)
          setMarked(-1)
          setIsOpen(true)
        }}
      />
      <OptionList {...{ id, label, isOpen, options, optionsMax, marked, isLoading, failure }} onChoose={choose} />
    </div>
  )
}
