import { X } from "lucide-react";
import { useActions, useAppState } from "../state";
import { IconButton } from "../ui";

/** What went wrong away from any place on the page. They stay until they are closed. */
export function Notices() {
  const notices = useAppState((state) => state.notices);
  const actions = useActions();
  return (
    <div className="notices" role="log" aria-label="Notices" aria-live="assertive">
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
