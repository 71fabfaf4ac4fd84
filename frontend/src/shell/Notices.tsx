import { X } from "lucide-react";
import { useActions, useAppState } from "../state";
import { IconButton } from "../ui";

/**
 * What went wrong away from any place on the page. They stay until they are closed; a trouble of the background stays until it
 * is over.
 */
export function Notices() {
  const notices = useAppState((state) => state.notices);
  const troubles = useAppState((state) => state.troubles);
  const actions = useActions();
  return (
    <div className="notices" role="log" aria-label="Notices" aria-live="assertive">
      {troubles.map((trouble) => (
        <div key={trouble.kind} className="notice" data-tone="failure">
          <div className="grow">
            <p>{trouble.message}</p>
            <p className="t2 small">
              {trouble.hint} {trouble.count > 1 ? `${trouble.count} times so far.` : ""}
            </p>
          </div>
        </div>
      ))}
      {notices.map((notice) => (
        <div key={notice.id} className="notice" data-tone={notice.tone}>
          <div className="grow">
            <p>{notice.text}</p>
            {notice.hint ? <p className="t2 small">{notice.hint}</p> : null}
          </div>
          <IconButton label="Close this notice" size="small" onPress={() => actions.dismissNotice(notice.id)}>
            <X size={14} aria-hidden="true" />
          </IconButton>
        </div>
      ))}
    </div>
  );
}
