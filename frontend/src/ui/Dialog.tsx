import { X } from "lucide-react";
import type { CSSProperties, ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { IconButton } from "./Button";

export interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
  footer?: ReactNode;
  width?: number;
  /** A question that must be answered: a click beside it does not close it. */
  alert?: boolean;
}

export function Dialog({ title, onClose, children, footer, width = 560, alert = false }: DialogProps) {
  return (
    <ModalOverlay className="scrim" isOpen isDismissable={!alert} onOpenChange={(open) => open || onClose()}>
      <Modal className="modal" style={{ "--modal-width": `${width}px` } as CSSProperties}>
        <AriaDialog className="dialog" role={alert ? "alertdialog" : "dialog"}>
          <div className="dialog-head">
            <Heading slot="title" level={2} className="grow">
              {title}
            </Heading>
            <IconButton label="Close" onPress={onClose}>
              <X size={16} aria-hidden="true" />
            </IconButton>
          </div>
          <div className="dialog-body">{children}</div>
          {footer ? <div className="dialog-foot">{footer}</div> : null}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
