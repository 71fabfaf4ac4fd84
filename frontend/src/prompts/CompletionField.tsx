import { useContext, useEffect, useId, useRef, useState } from "react";
import { ComboBox, ComboBoxStateContext, Input, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { type api, failureOf } from "../backend";
import { useBackend } from "../state";

interface Props {
  label: string;
  /** Its name on the wire, where the label is a title. */
  name: string;
  description: string;
  required: boolean;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  /** What to ask for suggestions; undefined where the server has none to give. */
  ask: Omit<api.CompleteRequest, "value"> | undefined;
  inputRef?: React.Ref<HTMLInputElement>;
}

const pause = 180;

/** A text with suggestions of the server. Whatever is typed counts; a suggestion is only a help. */
export function CompletionField({ label, name, description, required, value, onChange, error, ask, inputRef }: Props) {
  const id = useId();
  const { completion, failure, request } = useCompletion(ask, value);
  const described = [description && `${id}-description`, error && `${id}-error`].filter(Boolean).join(" ");
  const items = completion.values.map((text) => ({ id: text, text }));
  return (
    <div className="field">
      <div className="label-row">
        <label className="label" htmlFor={id} title={label === name ? undefined : name}>
          {label}
        </label>
        {required && <span className="small t3">required</span>}
      </div>
      {description && (
        <p className="description small t2" id={`${id}-description`}>
          {description}
        </p>
      )}
      <ComboBox
        aria-label={label}
        aria-describedby={described || undefined}
        allowsCustomValue
        allowsEmptyCollection={false}
        isInvalid={error !== undefined}
        menuTrigger="input"
        items={items}
        inputValue={value}
        onInputChange={onChange}
        onFocus={() => request()}
      >
        <Input
          id={id}
          ref={inputRef}
          className="input"
          placeholder={required ? undefined : "not sent"}
          spellCheck={false}
          autoComplete="off"
          aria-required={required || undefined}
        />
        <OpenOnArrival completion={completion} />
        <Popover className="popover picker-popover" offset={2}>
          <ListBox className="menu suggestion-list">
            {(item: { id: string; text: string }) => (
              <ListBoxItem id={item.id} textValue={item.text} className="menu-item">
                <span className="clip">{item.text}</span>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      {completion.hasMore && <p className="small t3">There are more; type on to narrow them down.</p>}
      {failure && <p className="small t3">No suggestions: {failure}</p>}
      {error && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

/** Suggestions arrive after the key that asked for them: the list opens when they are there. */
function OpenOnArrival({ completion }: { completion: api.Completion }) {
  const state = useContext(ComboBoxStateContext);
  const latest = useRef(state);
  latest.current = state;
  useEffect(() => {
    const now = latest.current;
    const typed = now?.inputValue ?? "";
    // What is a suggestion already needs none, and neither does a field that one only passes through.
    if (!now || now.isOpen || !now.isFocused || typed === "" || completion.values.includes(typed)) return;
    if (completion.values.length > 0) now.open(null, "input");
  }, [completion]);
  return null;
}

const nothing: api.Completion = { values: [], total: 0, hasMore: false };

/** Suggestions for what is typed, asked for after a pause; an answer that was overtaken is dropped. */
function useCompletion(ask: Omit<api.CompleteRequest, "value"> | undefined, value: string) {
  const backend = useBackend();
  const [completion, setCompletion] = useState(nothing);
  const [failure, setFailure] = useState("");
  const [wanted, setWanted] = useState(false);
  const turn = useRef(0);
  const key = ask ? JSON.stringify(ask) : "";
  useEffect(() => {
    if (key === "" || !wanted) return;
    const mine = ++turn.current;
    const timer = setTimeout(() => {
      const request = JSON.parse(key) as Omit<api.CompleteRequest, "value">;
      backend.complete({ ...request, value }).then(
        (answer) => {
          if (mine !== turn.current) return;
          setCompletion({ ...answer, values: [...new Set(answer.values ?? [])] });
          setFailure("");
        },
        (thrown) => {
          if (mine !== turn.current) return;
          setCompletion(nothing);
          setFailure(failureOf(thrown).message);
        },
      );
    }, pause);
    return () => clearTimeout(timer);
  }, [backend, key, value, wanted]);
  return { completion, failure, request: () => setWanted(true) };
}
