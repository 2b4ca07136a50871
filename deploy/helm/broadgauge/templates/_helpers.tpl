{{- define "broadgauge.labels" -}}
app.kubernetes.io/name: broadgauge
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "broadgauge.selector" -}}
app.kubernetes.io/name: broadgauge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* Settings are read once, at the start: others are another pod. */ -}}
{{- define "broadgauge.checksum" -}}
checksum/settings: {{ printf "%v %s" .Values.drainSeconds (toJson .Values.settings) | sha256sum }}
{{- end }}

{{- /*
Other settings are another ConfigMap: a pod of before that starts again amid an upgrade reads the ones it knows, and would refuse
those of the new version.
*/ -}}
{{- define "broadgauge.settings" -}}
{{ .Release.Name }}-settings-{{ include "broadgauge.checksum" . | trunc -10 }}
{{- end }}

{{- define "broadgauge.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* What every pod has in common: no root, no rights, nothing to write to. */ -}}
{{- define "broadgauge.pod" -}}
automountServiceAccountToken: false
# Otherwise a Service called broadgauge gives every pod a BROADGAUGE_PORT, and settings that do not exist.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "broadgauge.container" -}}
image: {{ include "broadgauge.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{- end }}
